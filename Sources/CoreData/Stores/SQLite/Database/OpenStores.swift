// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The SQLite stores that this process has open, so that a migration can ask them to release a file.

import Foundation
import Synchronization

/// A store that can close its connections for a migration.
protocol SteppingAside: AnyObject {
    /// - Returns: false if a connection is in use; nothing is closed then.
    func stepAside() -> Bool
    /// Whether the store has connections to a file.
    func holds(_ file: String) -> Bool
}

/// A migration asks the stores of other coordinators to close their connections. Each reopens the file at its next use,
/// like any opener: a store of another version refuses that with 134100. Migration-M13.
enum OpenStores {
    private struct Entry: @unchecked Sendable {  // the store has its own locks
        weak var store: (any SteppingAside)?
    }

    private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    static func add(_ store: any SteppingAside) {
        entries.withLock { $0[ObjectIdentifier(store)] = Entry(store: store) }
    }

    static func remove(_ store: any SteppingAside) {
        entries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(store)) }
    }

    /// Closes the idle connections to a file.
    static func stepAside(for url: URL) {
        for store in holders(of: url) { _ = store.stepAside() }
    }

    /// Whether a store of this process has connections to a file.
    static func hold(_ url: URL) -> Bool { !holders(of: url).isEmpty }

    private static func holders(of url: URL) -> [any SteppingAside] {
        let file = url.resolvingSymlinksInPath().path
        let stores = entries.withLock { entries in
            // Remove stores that were released without being closed.
            entries = entries.filter { $0.value.store != nil }
            return entries.values.compactMap(\.store)
        }
        return stores.filter { $0.holds(file) }
    }
}
