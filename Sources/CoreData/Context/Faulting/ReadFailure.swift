// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store could not be read where no error could be thrown: what the next save says of it, and when it is over.

import Foundation

/// A read that failed and gave nil, or no members. Documentation/Saving.md, E1 to E4.
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
    /// Whether something was decided on what was read, so that reading it again does not help.
    private let isFinal: Bool

    /// A failure behind which nobody can tell any more what depends on it.
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

    /// Reads again what changes were made on.
    ///
    /// - Returns: whether nothing unsaved depends on what could not be read.
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

    /// A read of an object failed. While changes are processed, decisions are made on what was read.
    func noteFailedRead(_ error: any Error, of object: NSManagedObject, toMany slot: Int? = nil) {
        if isProcessing { return readFailure = error }
        if storedReadFailure == nil { storedReadFailure = ReadFailure(error) }
        storedReadFailure?.note(object, toMany: slot)
    }

    /// What could not be read must not be overwritten, and nobody was told yet.
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
