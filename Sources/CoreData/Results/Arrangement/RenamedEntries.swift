// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Objects in the results that got permanent ids: their former ids, and changes that announce the new ones.

import Foundation

/// Objects in the results that got permanent ids in one event.
struct RenamedEntries {
    /// The former ids by the new ones.
    private(set) var formerIDs: [NSManagedObjectID: NSManagedObjectID] = [:]
    /// The objects without another change, as changes in place; empty for results with sections.
    private(set) var changesInPlace: [ResultsChange.ObjectChange] = []

    init() {}

    init(
        _ permanent: [TemporaryEntries.MadePermanent], _ arrangement: ResultsArrangement, _ change: ResultsChange?,
        before: ResultsView, isSectioned: Bool
    ) {
        var shown: [ResultEntry] = []
        for (entry, former) in permanent {
            guard let entry = arrangement.entry(of: entry.object) else { continue }
            formerIDs[entry.id] = former
            shown.append(entry)
        }
        if shown.isEmpty || isSectioned { return }
        let named = Set(((change?.moves ?? []) + (change?.updates ?? [])).map { ObjectIdentifier($0.entry.object) })
        let inPlace = shown.filter { !named.contains(ObjectIdentifier($0.object)) }
        let paths = before.paths(of: Set(inPlace.map { ObjectIdentifier($0.object) }))
        changesInPlace = inPlace.compactMap { entry in
            paths[ObjectIdentifier(entry.object)].map {
                ResultsChange.ObjectChange(entry: entry, old: $0, new: arrangement.path(of: entry.object))
            }
        }
    }
}
