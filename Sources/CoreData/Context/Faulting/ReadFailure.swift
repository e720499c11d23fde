// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Read failures in places that cannot throw: the next save throws the error, and a later save continues.

import Foundation

/// A failed read that returned nil, or no members. Saving-E1 to E4.
///
/// # States
///     none ──a read fails──▶ failed ──save: all can be read now──▶ none (the save throws, the next one writes)
///                              │ └──── save: something cannot be read ────▶ failed (the save throws)
///                              └──── rollback, reset ────▶ none
struct ReadFailure {
    let error: any Error
    /// Faults that read as nil, and objects that were changed although their row is unknown.
    private(set) var objects: [NSManagedObject] = []
    /// To-many relationships that read as empty.
    private(set) var toManys: [(object: NSManagedObject, slot: Int)] = []
    /// Whether a decision was based on the missing values, so that a second read does not help.
    private let isFinal: Bool

    /// A failure with unknown consequences: only a rollback ends it.
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

    /// Reads the rows of unsaved changes again.
    ///
    /// - Returns: whether no unsaved change depends on a missing row or on unknown members any more.
    func isOver(_ tracker: ChangeTracker, _ refreshing: RefreshPolicy) -> Bool {
        if isFinal { return false }
        for (object, slot) in toManys where tracker.owns(object) {
            if object.memberValue(slot)?.hasChanges == true { return false }
        }
        let changed = objects.filter { tracker.owns($0) && !$0.isFault && $0.isUnread }
        refreshing.refresh(changed)
        return changed.allSatisfy { !$0.isUnread }
    }
}

/// The failed reads of one context since its last save.
final class ReadFailures {
    /// nil unless a read has failed.
    @exclusivity(unchecked) var current: ReadFailure?

    /// Records a failure that only a rollback ends.
    func note(_ error: any Error) { current = ReadFailure(final: error) }

    /// Records the failed read of an object.
    ///
    /// - Parameter isDeciding: whether pending changes are being processed, so that a decision depends on the values.
    func note(_ error: any Error, of object: NSManagedObject, toMany slot: Int? = nil, isDeciding: Bool) {
        if isDeciding { return note(error) }
        if current == nil { current = ReadFailure(error) }
        current?.note(object, toMany: slot)
    }

    /// Records a failure of delete rules, which the next save applies again.
    func noteWaitingRules(_ error: any Error) {
        if current == nil { current = ReadFailure(error) }
    }

    func forget() { current = nil }

    /// Restores the failure that was recorded before.
    func restore(_ failure: ReadFailure?) { current = failure }

    /// Runs a body and keeps its failed reads from the next save.
    ///
    /// - Returns: the failure of the body's reads.
    func separating(_ body: () -> Void) -> ReadFailure? {
        let before = current
        current = nil
        body()
        defer { current = before }
        return current
    }

    /// Runs a body and throws the error of its failed reads.
    func throwing<Result>(_ body: () throws -> Result) throws -> Result {
        let before = current
        current = nil
        defer { if current == nil { current = before } }
        let result = try body()
        if let failure = current {
            current = nil
            throw failure.error
        }
        return result
    }

    /// Throws after failed reads, because a save must not overwrite values that could not be read.
    func check(_ tracker: ChangeTracker, _ refreshing: RefreshPolicy, _ coordinator: NSPersistentStoreCoordinator?)
        throws
    {
        guard let failure = current else { return }
        current = nil
        let isOver = failure.isOver(tracker, refreshing)
        if !isOver || current != nil { current = failure }
        let advice =
            isOver
            ? "No change depends on them any more: look at what was made of the missing values, and save again."
            : "Roll back or reset the context, or refresh the objects without their changes, to go on."
        let stores = coordinator?.attachedStores ?? []
        let store = failure.objects.first?.table.home?.store ?? (stores.count == 1 ? stores[0] : nil)
        throw CoreDataError.storeSave(
            "Values could not be read from a store, so nothing was written. \(advice)", store: store, url: store?.url,
            underlying: failure.error)
    }
}

extension NSManagedObject {
    /// Whether the changes are based on a block of nulls, because the row could not be read.
    fileprivate var isUnread: Bool { objectExtension?.committed?.version == 0 && !isInserted }
}
