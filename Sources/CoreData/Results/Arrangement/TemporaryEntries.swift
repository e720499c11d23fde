// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects when temporary ids of the results become permanent, so that readers get the new ids.

import Foundation

/// Entries of objects that had a temporary id when they were placed.
struct TemporaryEntries {
    typealias MadePermanent = (entry: ResultEntry, former: NSManagedObjectID)

    /// Longer lists are searched only after a save, or when the first or last entry has a permanent id.
    private static let searchedLength = 256

    private var entries: [ResultEntry] = []

    mutating func note(_ placed: [ResultEntry]) {
        for entry in placed where !entry.hasPermanentID {
            entry.shownID = entry.object.objectID
            entries.append(entry)
        }
    }

    /// Entries that got permanent ids since the last event; each is returned once.
    ///
    /// Ids usually become permanent together, at a save; so a long list is not searched at every event.
    mutating func takePermanent(isSaved: Bool) -> [MadePermanent] {
        if entries.isEmpty { return [] }
        let isSearched = isSaved || entries.count < Self.searchedLength
        guard isSearched || [entries.first, entries.last].contains(where: { $0?.hasPermanentID ?? false }) else {
            return []
        }
        let permanent = entries.filter { $0.hasPermanentID && $0.chunk != nil }
        entries.removeAll { $0.hasPermanentID || $0.chunk == nil }
        return permanent.compactMap { entry in entry.shownID.map { (entry, $0) } }
    }
}

extension ResultEntry {
    fileprivate var hasPermanentID: Bool { object.key >= 0 }
}
