// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The matches of a request with a limit or offset: enough of them to know the window after any change.

import Foundation

/// All matches, or the first of them up to a boundary. ResultsController-8.
///
/// # Invariant
/// (1) Every match up to the boundary has an entry.
final class ResultsWindow {
    private let request: ResultsRequest
    let matches: ResultsArrangement
    /// nil if all matches are known.
    private var boundary: ResultPlacement?

    init(_ request: ResultsRequest, readsPlacements: Bool) throws {
        self.request = request
        let entries = try request.entries(
            request.prefixLength.map { .first($0) } ?? .all, readsPlacements: readsPlacements)
        matches = ResultsArrangement(request.order, isSectioned: false, entries) { request.placement(of: $0) }
        setBoundary(found: entries.count)
    }

    /// The entries in the window.
    var entries: [ResultEntry] {
        matches.entries(
            from: request.window.offset, limit: request.window.limit > 0 ? request.window.limit : Int.max)
    }

    private func setBoundary(found count: Int) {
        guard let length = request.prefixLength, count >= length else {
            boundary = nil
            return
        }
        boundary = matches.last.map { matches.placement(of: $0) }
    }

    /// Changes the matches, and fetches more if too few are known.
    func apply(_ edit: ResultsEdit) throws {
        _ = matches.apply(bounded(edit))
        if boundary != nil, matches.count < request.window.offset + request.window.limit { try refill() }
    }

    /// Removes the entries beyond the boundary from the edit, because not all matches there are known.
    private func bounded(_ edit: ResultsEdit) -> ResultsEdit {
        guard let boundary else { return edit }
        func isBeyond(_ placement: ResultPlacement?) -> Bool {
            placement.map { request.order.precedes(boundary, $0) } ?? false
        }
        var result = edit
        result.inserted.removeAll { isBeyond($0.placement) }
        result.changed.removeAll { isBeyond($0.placement) }
        result.removed += edit.changed.filter { isBeyond($0.placement) }.map(\.entry)
        return result
    }

    private func refill() throws {
        guard let length = request.prefixLength else { return }
        let objects = try request.objects(.first(length))
        var edit = ResultsEdit()
        for object in objects where matches.entry(of: object) == nil {
            edit.inserted.append(ResultEntry(object, placement: request.placement(of: object)))
        }
        _ = matches.apply(edit)
        setBoundary(found: objects.count)
    }

    // MARK: Showing

    /// The change of the shown entries.
    ///
    /// - Parameter edit: the change of the matches.
    func edit(of shown: ResultsArrangement, after edit: ResultsEdit) -> ResultsEdit {
        var result = ResultsEdit()
        let window = entries
        let inside = Set(window.map { ObjectIdentifier($0.object) })
        result.removed = shown.entries.values.filter { !inside.contains(ObjectIdentifier($0.object)) }
        for entry in window where shown.entry(of: entry.object) == nil {
            result.inserted.append(
                ResultEntry(entry.object, sectionName: entry.sectionName, placement: matches.placement(of: entry)))
        }
        for change in edit.changed where inside.contains(ObjectIdentifier(change.entry.object)) {
            guard let entry = shown.entry(of: change.entry.object) else { continue }
            result.changed.append(.init(entry: entry, placement: change.placement, isUpdate: change.isUpdate))
        }
        return result
    }
}
