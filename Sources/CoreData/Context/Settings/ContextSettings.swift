// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The settings of a context, which any thread may read and set.

import CoreDataFoundation
import Foundation
import Synchronization

/// The settings of one context.
final class ContextSettings: @unchecked Sendable {  // `values` is guarded by `lock`, all else is atomic
    let propagatesDeletesAtEndOfEvent = Atomic<Bool>(true)
    let stalenessInterval = Atomic<Double>(-1)
    let shouldDeleteInaccessibleFaults = Atomic<Bool>(true)
    /// `false` while a migration saves a part of its objects.
    let validatesBeforeSaving = Atomic<Bool>(true)
    let retainsRegisteredObjects = Atomic<Bool>(false)
    let stopsStatements = Atomic<Bool>(false)
    let mergesAutomatically = Atomic<Bool>(false)
    let countsFaults = Atomic<Bool>(RepeatedFaultingPolicy.standard.response != .nothing)

    struct Values {
        var undoManager: UndoManager?
        /// Observes the undo manager while it is retained here.
        var undoObserver: AnyObject?
        var mergePolicy: Any = NSErrorMergePolicy
        var repeatedFaultingPolicy = RepeatedFaultingPolicy.standard
        var name: String?
        var transactionAuthor: String?
        var userInfo: NSMutableDictionary?
    }

    private let lock = NSLock()
    private var values = Values()

    func read<T>(_ body: (Values) -> T) -> T { lock.withLock { body(values) } }

    /// Releases the old value outside the lock: its deinitializer may use the settings.
    func exchange<T>(_ value: T, _ path: WritableKeyPath<Values, T>) {
        withExtendedLifetime(read { $0[keyPath: path] }) {
            lock.withLock { values[keyPath: path] = value }
        }
    }

    var undoManager: UndoManager? { read(\.undoManager) }

    var recordsUndo: Bool { read { $0.undoManager != nil } }

    var staleness: TimeInterval { stalenessInterval.load(ordering: .relaxed) }

    var userInfo: NSMutableDictionary {
        lock.withLock {
            if let made = values.userInfo { return made }
            let made = NSMutableDictionary()
            values.userInfo = made
            return made
        }
    }
}
