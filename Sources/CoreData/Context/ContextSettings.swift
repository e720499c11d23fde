// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The settings of a context, which any thread may read and set.

public import CoreDataFoundation
public import Foundation
import Synchronization

/// The settings of one context.
final class ContextSettings: @unchecked Sendable {  // `values` is guarded by `lock`, all else is atomic
    let propagatesDeletesAtEndOfEvent = Atomic<Bool>(true)
    let stalenessInterval = Atomic<Double>(-1)
    let shouldDeleteInaccessibleFaults = Atomic<Bool>(true)
    let retainsRegisteredObjects = Atomic<Bool>(false)
    let mergesAutomatically = Atomic<Bool>(false)
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

    /// Releases the old value outside of the lock: its deinit may use the settings.
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

extension NSManagedObjectContext {
    /// Records changes for undo; nil (as it is until one is set) keeps no undo records at all.
    ///
    /// It does not record changes that were made before it is set; set off the context's queue, it records those of the
    /// running event, apart from deletions. Contexts may share one, also with actions of your own; such contexts should
    /// share a queue.
    public var undoManager: UndoManager? {
        get { state.settings.read(\.undoManager) }
        set {
            if queue.isCurrent(self) { processPendingChanges() }
            state.settings.exchange(newValue, \.undoManager)
            state.settings.exchange(newValue.map { UndoObserver(of: $0, for: self) }, \.undoObserver)
        }
    }

    /// Whether delete rules apply at the end of the event (`true`, as it is unless set) or only when changes are saved.
    /// May be set on any thread.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { state.settings.propagatesDeletesAtEndOfEvent.load(ordering: .relaxed) }
        set { state.settings.propagatesDeletesAtEndOfEvent.store(newValue, ordering: .relaxed) }
    }

    /// How conflicts are resolved when changes are saved: an `NSMergePolicy`. It is `NSErrorMergePolicy` unless set.
    /// May be set on any thread.
    public var mergePolicy: Any {
        get { state.settings.read(\.mergePolicy) }
        set { state.settings.exchange(newValue, \.mergePolicy) }
    }

    /// For how many seconds a cached row may serve a fault; negative (as it is unless set): for ever, 0: not at all.
    ///
    /// Objects that have their values are never touched by it. Stores in memory ignore it. May be set on any thread.
    public var stalenessInterval: TimeInterval {
        get { state.settings.stalenessInterval.load(ordering: .relaxed) }
        set { state.settings.stalenessInterval.store(newValue, ordering: .relaxed) }
    }

    /// Whether reading a fault without a record gives nil and deletes the object (`true`, as it is unless set) or
    /// traps. May be set on any thread.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { state.settings.shouldDeleteInaccessibleFaults.load(ordering: .relaxed) }
        set { state.settings.shouldDeleteInaccessibleFaults.store(newValue, ordering: .relaxed) }
    }

    /// Whether every registered object is held strongly. `false` unless set.
    ///
    /// May be set on any thread: off the context's queue it takes effect in its turn, before blocks that are submitted
    /// later.
    public var retainsRegisteredObjects: Bool {
        get { state.settings.retainsRegisteredObjects.load(ordering: .relaxed) }
        set {
            state.settings.retainsRegisteredObjects.store(newValue, ordering: .relaxed)
            queue.inTurn(self) { context in
                context.state.retained.update { context.state.storedRegistry?.objects() ?? [] }
            }
        }
    }

    /// For the programmer's own use, and for messages. May be set on any thread.
    public var name: String? {
        get { state.settings.read(\.name) }
        set { state.settings.exchange(newValue, \.name) }
    }

    /// The author of the changes, for persistent history. May be set on any thread.
    public var transactionAuthor: String? {
        get { state.settings.read(\.transactionAuthor) }
        set { state.settings.exchange(newValue, \.transactionAuthor) }
    }

    /// For the programmer's own use. The dictionary itself has no lock.
    public var userInfo: NSMutableDictionary { state.settings.userInfo }
}
