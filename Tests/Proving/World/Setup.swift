// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The kinds of stores and their settings in the proving ground.

import CoreData
import Foundation

/// A type of store with its journal and its level of synchronization.
enum Setup: String, Sendable, CaseIterable {
    case walNormal = "wal-normal"
    case walFull = "wal-full"
    case delete
    case deleteExtra = "delete-extra"
    case truncate
    case persist
    /// With a full-text index of the things' names, and an index of the same names in dictionaries.
    case walSearch = "wal-search"
    case xml
    case binary

    var type: String {
        switch self {
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        default: NSSQLiteStoreType
        }
    }

    var isSQLite: Bool { type == NSSQLiteStoreType }
    var isWAL: Bool { [.walNormal, .walFull, .walSearch].contains(self) }
    /// Whether the store keeps a full-text index and an index of values.
    var isSearched: Bool { self == .walSearch }

    /// Whether each save that returned is durable. A journal that is deleted without a sync of its folder may come
    /// back, and undo the last save (SQLite's level EXTRA prevents that).
    var isDurable: Bool { self != .walNormal && self != .delete }

    private var pragmas: [String: String] {
        switch self {
        case .walNormal: [:]
        case .walFull, .walSearch: ["synchronous": "FULL"]
        case .delete: ["journal_mode": "DELETE", "synchronous": "FULL"]
        case .deleteExtra: ["journal_mode": "DELETE", "synchronous": "EXTRA"]
        case .truncate: ["journal_mode": "TRUNCATE", "synchronous": "FULL"]
        case .persist: ["journal_mode": "PERSIST", "synchronous": "FULL"]
        case .xml, .binary: [:]
        }
    }

    /// Whether its saves are recorded in the history. The other kinds of SQLite stores are tried without one.
    var tracksHistory: Bool { [.walFull, .delete, .truncate, .persist].contains(self) }

    var options: [AnyHashable: Any] { options(with: [:]) }

    func options(with more: [String: String]) -> [AnyHashable: Any] {
        let all = pragmas.merging(more) { _, new in new }
        var options: [AnyHashable: Any] = all.isEmpty ? [:] : [NSSQLitePragmasOption: all]
        if tracksHistory { options[NSPersistentHistoryTrackingKey] = true }
        if isSearched {
            options[NSFullTextIndexOption] = true
            options[NSValueIndexOption] = true
        }
        return options
    }
}
