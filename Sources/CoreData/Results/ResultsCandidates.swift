// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects that an event may affect: those that changed, and those that depend on them.

import Foundation

/// Objects that may have another membership or position in the results. No object is in two lists.
struct ResultsCandidates {
    /// Changed themselves: an update is reported in any case.
    private(set) var changed: [NSManagedObject] = []
    /// Reported only if their position or membership differs.
    private(set) var related: [NSManagedObject] = []
    /// Got another key, which determines the order of equal objects: reported only if they move.
    private(set) var permanent: [NSManagedObject] = []

    init(related: [NSManagedObject]) { self.related = related }

    /// The objects that an event affects.
    ///
    /// - Parameter members: the objects that match the request, or the first of them.
    init(_ summary: EventSummary, _ request: ResultsRequest, members: ResultsArrangement) throws {
        let state = request.context.state
        let others = summary.mergedIDs.filter { id in
            let layout = state.registry.model.layouts[state.registry.key(of: id).entityIndex]
            return request.concerns(layout) || request.related.concern(layout)
        }
        let objects = (summary.objects + others.map { state.faults.object(with: $0) }).distinct
        changed = objects.filter { request.concerns($0) || members.entry(of: $0) != nil }
        if !request.related.isEmpty {
            let concerned = objects.filter { request.related.concern($0.table.layout) }
            related = request.related.dependents(on: concerned, state.faults)
        }
        if summary.isEverything { related += try request.objects(.all) + members.entries.values.map(\.object) }
        var seen = Set(changed.map(ObjectIdentifier.init))
        related = related.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Objects that got permanent ids.
    mutating func add(permanent objects: [NSManagedObject]) {
        let known = Set((changed + related).map(ObjectIdentifier.init))
        permanent += objects.filter { !known.contains(ObjectIdentifier($0)) }
    }

    var isEmpty: Bool { changed.isEmpty && related.isEmpty && permanent.isEmpty }
}
