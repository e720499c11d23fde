// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifiers that the program read before the first save of their record. SwiftData-I2.

import CoreData
import Foundation
import Synchronization

/// Maps temporary ids to permanent ones, for records whose temporary id the program knows.
enum RenamedIdentifiers {
    private struct State {
        var taken: Set<Int64> = []
        var permanent: [Int64: NSManagedObjectID] = [:]
        var first: [PersistentIdentifier.ID.Record: PersistentIdentifier.ID.Record] = [:]
        /// The permanent ids for identifiers that were encoded before the save.
        var saved: [PersistentIdentifier.ID.Record: NSManagedObjectID] = [:]
    }

    private static let state = Mutex(State())
    private static let isEmpty = Atomic<Bool>(true)

    /// Whether no temporary identifier has been given out yet.
    static var isUnused: Bool { isEmpty.load(ordering: .acquiring) }

    static func noteTaken(_ key: Int64) {
        state.withLock { _ = $0.taken.insert(key) }
        isEmpty.store(false, ordering: .releasing)
    }

    /// Called after a save, or when permanent ids were obtained.
    static func noteSaved(_ pairs: [(temporary: NSManagedObjectID, permanent: NSManagedObjectID)]) {
        if isEmpty.load(ordering: .acquiring) { return }
        state.withLock { state in
            for pair in pairs where state.taken.remove(pair.temporary.recordKey) != nil {
                state.permanent[pair.temporary.recordKey] = pair.permanent
                let first = PersistentIdentifier.ID.Record(pair.temporary)
                state.first[.init(pair.permanent)] = first
                state.saved[first] = pair.permanent
            }
        }
    }

    static func permanent(_ key: Int64) -> NSManagedObjectID? {
        if key >= 0 || isEmpty.load(ordering: .acquiring) { return nil }
        return state.withLock { $0.permanent[key] }
    }

    /// The permanent id of a record that had a temporary one before its first save.
    static func permanent(_ record: PersistentIdentifier.ID.Record) -> NSManagedObjectID? {
        if !record.isTemporary || isEmpty.load(ordering: .acquiring) { return nil }
        return state.withLock { $0.saved[record] }
    }

    static func first(of record: PersistentIdentifier.ID.Record) -> PersistentIdentifier.ID.Record? {
        if isEmpty.load(ordering: .acquiring) { return nil }
        return state.withLock { $0.first[record] }
    }
}
