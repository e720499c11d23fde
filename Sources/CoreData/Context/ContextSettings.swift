// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How a context is to behave: what may be set and asked on any thread.

import CRuntime
public import CoreDataFoundation
public import Foundation
import Synchronization

/// The settings of one context.
final class ContextSettings: @unchecked Sendable {  // `values` is guarded by `lock`, all else is atomic
    let propagatesDeletesAtEndOfEvent = Atomic<Bool>(true)
    let stalenessInterval = Atomic<Double>(-1)
    let shouldDeleteInaccessibleFaults = Atomic<Bool>(true)
    let retainsRegisteredObjects = Atomic<Bool>(false)
    let countsFaults = Atomic<Bool>(FaultRunPolicy.standard.response != .nothing)

    struct Values {
        var undoManager: UndoManager?
        var undoObserver: UndoObserver?
        var mergePolicy: Any = NSErrorMergePolicy
        var faultRunPolicy = FaultRunPolicy.standard
        var name: String?
        var transactionAuthor: String?
        var userInfo: NSMutableDictionary?
    }

    private let lock = NSLock()
    private var values = Values()

    func read<T>(_ body: (Values) -> T) -> T { lock.withLock { body(values) } }

    /// The old value is let go behind the lock: its end may lead back here.
    func exchange<T>(_ value: T, _ path: WritableKeyPath<Values, T>) {
        withExtendedLifetime(read { $0[keyPath: path] }) {
            lock.withLock { values[keyPath: path] = value }
        }
    }

    var userInfo: NSMutableDictionary {
        lock.withLock {
            if let made = values.userInfo { return made }
            let made = NSMutableDictionary()
            values.userInfo = made
            return made
        }
    }
}

extension NSManagedObjectContext {
    /// Records changes for undo; nil (as it is until one is set) keeps no undo records at all.
    ///
    /// Changes made before it is set are not among them; off the context's queue, where it may be set too, those of the
    /// event that runs are, apart from deletions. Contexts may share one, also with actions of your own; such contexts should share a queue.
    public var undoManager: UndoManager? {
        get { settings.read(\.undoManager) }
        set {
            if queue.isCurrent(self) { processPendingChanges() }
            settings.exchange(newValue, \.undoManager)
            settings.exchange(newValue.map { UndoObserver(of: $0, for: self) }, \.undoObserver)
        }
    }

    var recordsUndo: Bool { settings.read { $0.undoManager != nil } }

    /// Whether delete rules apply at the end of the event (`true`, as it is unless set) or only when changes are saved.
    /// May be set on any thread.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { settings.propagatesDeletesAtEndOfEvent.load(ordering: .relaxed) }
        set { settings.propagatesDeletesAtEndOfEvent.store(newValue, ordering: .relaxed) }
    }

    /// How conflicts are resolved when changes are saved: an `NSMergePolicy`. It is `NSErrorMergePolicy` unless set.
    /// May be set on any thread.
    public var mergePolicy: Any {
        get { settings.read(\.mergePolicy) }
        set { settings.exchange(newValue, \.mergePolicy) }
    }

    /// For how many seconds a cached row may serve a fault; negative (as it is unless set): for ever, 0: not at all.
    ///
    /// Objects that have their values are never touched by it. Stores in memory ignore it. May be set on any thread.
    public var stalenessInterval: TimeInterval {
        get { settings.stalenessInterval.load(ordering: .relaxed) }
        set { settings.stalenessInterval.store(newValue, ordering: .relaxed) }
    }

    /// Whether reading a fault whose record is gone gives nil and deletes the object (`true`, as it is unless set) or
    /// traps. May be set on any thread.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { settings.shouldDeleteInaccessibleFaults.load(ordering: .relaxed) }
        set { settings.shouldDeleteInaccessibleFaults.store(newValue, ordering: .relaxed) }
    }

    /// Whether every registered object is held strongly. `false` unless set.
    ///
    /// May be set on any thread: off the context's queue it takes effect in its turn, before blocks that are submitted
    /// later.
    public var retainsRegisteredObjects: Bool {
        get { settings.retainsRegisteredObjects.load(ordering: .relaxed) }
        set {
            settings.retainsRegisteredObjects.store(newValue, ordering: .relaxed)
            queue.inTurn(self) { $0.retainRegistered() }
        }
    }

    /// For the programmer's own use, and for messages. May be set on any thread.
    public var name: String? {
        get { settings.read(\.name) }
        set { settings.exchange(newValue, \.name) }
    }

    /// Who makes the changes, for persistent history. May be set on any thread.
    public var transactionAuthor: String? {
        get { settings.read(\.transactionAuthor) }
        set { settings.exchange(newValue, \.transactionAuthor) }
    }

    /// For the programmer's own use. The dictionary itself is guarded by nobody.
    public var userInfo: NSMutableDictionary { settings.userInfo }
}
