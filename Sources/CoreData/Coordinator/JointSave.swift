// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves to several stores as one transaction. Documentation/Internals/Saving.md, "Several stores".

import Foundation

/// # States of a store
///     idle ──asked──▶ written, transaction open ──the later stores are committed──▶ committed
///                        │         conflicts, failures anywhere ──▶ rolled back
/// Each store calls the next one while its own transaction is open, so the depth of the calls is the number of stores.
struct JointSave {
    typealias Part = (store: any RecordStore, set: ChangeSet)

    /// The given parts, followed by stores with only metadata to write.
    private let parts: [Part]
    /// Indices of `parts`, in the order in which the stores are called.
    private var order: [Int]
    /// One outcome for each part.
    private(set) var outcomes: [SaveOutcome]
    /// The error of a store.
    private(set) var failure: (any Error)?

    init(_ changes: [Part], metadata: [any RecordStore]) {
        let others = metadata.filter { store in !changes.contains { $0.store === store } }
        parts = others.isEmpty ? changes : changes + others.map { ($0, ChangeSet()) }
        outcomes = Array(repeating: SaveOutcome(), count: parts.count)
        order = Array(parts.indices)
        if order.count > 1 { order = Self.order(of: parts.map(\.store)) }
    }

    var stores: [NSPersistentStore] { parts.map(\.store) }

    /// The stores without changes in this save.
    var unwritten: [NSPersistentStore] { zip(parts, outcomes).filter { !$1.isWritten }.map(\.0.store) }

    mutating func run() {
        do {
            _ = try write(from: 0, keeps: true)
        } catch {
            failure = error
        }
        assert(
            failure != nil || outcomes.allSatisfy(\.isWritten) || !outcomes.contains(where: \.isWritten),
            "(Saving-J1) Some stores have written and others not, and no store has failed.")
        assert(
            !outcomes.contains { $0.isWritten && !$0.conflicts.isEmpty },
            "(Saving-J2) A store has written in spite of conflicts.")
    }

    /// Stores whose commit cannot fail come first, since the first store commits last (Saving-J3). The others follow by
    /// UUID, which is the same in all coordinators and processes: no two saves wait for each other (Saving-J4). Stores
    /// that cannot roll back come last: they write while the others can still be rolled back (Saving-J7).
    private static func order(of stores: [any RecordStore]) -> [Int] {
        let keys = stores.map {
            ($0.guaranteesCommit ? 0 : $0.canRollBack ? 1 : 2, $0.identity.identifier, ObjectIdentifier($0))
        }
        return stores.indices.sorted { keys[$0] < keys[$1] }
    }

    /// - Parameter keeps: `false` to ask the stores only for their conflicts.
    /// - Returns: whether this store and all later ones have no conflicts.
    private mutating func write(from place: Int, keeps: Bool) throws -> Bool {
        guard place < order.count else { return true }
        let part = parts[order[place]]
        var answer: Bool?
        outcomes[order[place]] = try part.store.save(part.set) {
            let isFine = try write(from: place + 1, keeps: keeps)
            answer = isFine
            return keeps && isFine
        }
        // A store with conflicts has not called the next one, but the others still report their conflicts (Saving-J2).
        let isFine = try answer ?? write(from: place + 1, keeps: false)
        return isFine && outcomes[order[place]].conflicts.isEmpty
    }
}
