// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads that failed where no error could be thrown: the next save throws it, and a later save goes on.

import Foundation

/// A read that failed and gave nil, or no members. Saving-E1 to E4.
///
/// # States
///     none ──a read fails──▶ failed ──save: everything can be read by now──▶ none (the save throws, the next one writes)
///                              │ └──── save: something cannot be read ────▶ failed (the save throws)
///                              └──── rollback, reset ────▶ none
struct ReadFailure {
    let error: any Error
    /// Faults that gave nil, and the objects that took changes although their row is not known.
    private(set) var objects: [NSManagedObject] = []
    /// To-manys that gave no members.
    private(set) var toManys: [(object: NSManagedObject, slot: Int)] = []
    /// Whether a decision was made on the missing values, so that a second read does not help.
    private let isFinal: Bool

    /// A failure whose consequences are not known: only a roll-back ends it.
    init(final error: any Error) {
        self.error = error
        isFinal = true
    }

    init(_ error: any Error) {
        self.error = error
        isFinal = false
    }

    mutating func note(_ object: NSManagedObject, toMany slot: Int?) {
        if let slot { toManys.append((object, slot)) } else { objects.append(object) }
    }

    /// Reads the rows again that unsaved changes lie on.
    ///
    /// - Returns: whether no unsaved change depends on a missing row or on unknown members any more.
    func isOver(in context: NSManagedObjectContext) -> Bool {
        if isFinal { return false }
        for (object, slot) in toManys where object.table.owner === context {
            if object.memberValue(slot)?.hasChanges == true { return false }
        }
        let changed = objects.filter { $0.table.owner === context && !$0.isFault && $0.isUnread }
        RefreshPolicy(context).refresh(changed)
        return changed.allSatisfy { !$0.isUnread }
    }
}

extension NSManagedObject {
    /// Whether changes lie over nothing but nulls, since the row could not be read.
    fileprivate var isUnread: Bool { rare?.committed?.version == 0 && !isInserted }
}

extension NSManagedObjectContext {
    /// A failure that no save gets over without a roll-back.
    var readFailure: (any Error)? {
        get { storedReadFailure?.error }
        set { storedReadFailure = newValue.map(ReadFailure.init(final:)) }
    }

    /// Remembers a failed read of an object. While changes are processed, decisions depend on the values.
    func noteFailedRead(_ error: any Error, of object: NSManagedObject, toMany slot: Int? = nil) {
        if isProcessing { return readFailure = error }
        if storedReadFailure == nil { storedReadFailure = ReadFailure(error) }
        storedReadFailure?.note(object, toMany: slot)
    }

    /// Throws for failed reads: missing values must not be overwritten, and no error was thrown for them yet.
    func refuseAfterReadFailure() throws {
        guard let failure = storedReadFailure else { return }
        storedReadFailure = nil
        let isOver = failure.isOver(in: self)
        if !isOver || storedReadFailure != nil { storedReadFailure = failure }
        let advice =
            isOver
            ? "No change depends on them any more: look at what was made of the missing values, and save again."
            : "Roll back or reset the context, or refresh the objects without their changes, to go on."
        let stores = persistentStoreCoordinator?.persistentStores ?? []
        let store = failure.objects.first?.table.home?.store ?? (stores.count == 1 ? stores[0] : nil)
        throw CoreDataError.storeSave(
            "Values could not be read from a store, so nothing was written. \(advice)", store: store, url: store?.url,
            underlying: failure.error)
    }
}
