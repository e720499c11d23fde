// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The settings of a context, as its properties.

public import Foundation
import Synchronization

extension NSManagedObjectContext {
    /// Whether delete rules apply at the end of the event (`true`, the default) or only when changes are saved.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { state.settings.propagatesDeletesAtEndOfEvent.load(ordering: .relaxed) }
        set { state.settings.propagatesDeletesAtEndOfEvent.store(newValue, ordering: .relaxed) }
    }

    /// The rule that resolves conflicts when changes are saved: an `NSMergePolicy`. It is `NSErrorMergePolicy` unless
    /// set.
    ///
    /// A conflict is a record that another context, coordinator or process has saved since this context read it, or a
    /// uniqueness constraint that a save would violate. With the error policy such a save throws 133020 or 133021.
    ///
    /// ```swift
    /// other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump  // both changes stay: they touch two properties
    /// try await other.perform { try other.save() }
    /// ```
    ///
    /// - Important: may be set on any thread; the next save uses it. The setting belongs to this context: children and
    ///   new contexts have the error policy.
    /// - SeeAlso: `NSMergePolicy`, `save()`, `detectConflicts(for:)`.
    /// - Source: Core Data Programming Guide, "Change Management".
    public var mergePolicy: Any {
        get { state.settings.read(\.mergePolicy) }
        set { state.settings.exchange(newValue, \.mergePolicy) }
    }

    /// How many seconds a cached row may be used for a fault; negative, the default, without limit; 0 never.
    ///
    /// It does not affect objects with values, nor stores in memory. May be set on any thread.
    public var stalenessInterval: TimeInterval {
        get { state.settings.stalenessInterval.load(ordering: .relaxed) }
        set { state.settings.stalenessInterval.store(newValue, ordering: .relaxed) }
    }

    /// Whether a fault without a record reads as nil and is deleted (`true`, the default) or traps. May be set on any
    /// thread.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { state.settings.shouldDeleteInaccessibleFaults.load(ordering: .relaxed) }
        set { state.settings.shouldDeleteInaccessibleFaults.store(newValue, ordering: .relaxed) }
    }

    /// Whether the context retains every registered object. `false` unless set.
    ///
    /// May be set on any thread: outside the context's queue it takes effect asynchronously, before blocks that are
    /// submitted later.
    public var retainsRegisteredObjects: Bool {
        get { state.settings.retainsRegisteredObjects.load(ordering: .relaxed) }
        set {
            state.settings.retainsRegisteredObjects.store(newValue, ordering: .relaxed)
            queue.inTurn(self) { context in
                context.state.retained.update { context.state.storedRegistry?.objects() ?? [] }
            }
        }
    }

    /// Whether a statement stops when the task that awaits `perform(schedule:_:)` is cancelled. `false` unless set.
    ///
    /// ```swift
    /// context.stopsStatementsOfCancelledTasks = true
    /// let report = Task { try await context.perform { try context.count(for: Memo.fetchRequest()) } }
    /// report.cancel()  // the statement ends at once, and `count` throws 3072 (`CocoaError.userCancelled`)
    /// ```
    ///
    /// Fetches, counts, faults and waits for a connection throw 3072 then, and so do saves and batch requests that have
    /// not reached their commit: nothing of them is written, and the changes of the context stay. A commit that has
    /// begun ends, and its save succeeds. The block itself goes on: it decides how to handle the error. A fault that
    /// could not be read makes the next save throw, as for every store that cannot be read.
    ///
    /// It applies to blocks that are submitted afterwards with `perform(schedule:_:)`, and to statements of other
    /// contexts that such a block waits for. May be set on any thread. Programs that are built with a compiler before
    /// Swift 6.2 ignore it.
    public var stopsStatementsOfCancelledTasks: Bool {
        get { state.settings.stopsStatements.load(ordering: .relaxed) }
        set { state.settings.stopsStatements.store(newValue, ordering: .relaxed) }
    }

    /// A name for the program's use, and for messages. May be set on any thread.
    public var name: String? {
        get { state.settings.read(\.name) }
        set { state.settings.exchange(newValue, \.name) }
    }

    /// The author of the changes, for persistent history. May be set on any thread.
    public var transactionAuthor: String? {
        get { state.settings.read(\.transactionAuthor) }
        set { state.settings.exchange(newValue, \.transactionAuthor) }
    }

    /// Data for the program's use. The dictionary is not thread-safe.
    public var userInfo: NSMutableDictionary { state.settings.userInfo }
}

extension NSManagedObjectContext {
    /// The response of the context to relationships that are followed one fault at a time. May be set on any thread.
    ///
    /// The default is `-OpenCoreData.FaultRuns off|warning|strict`, as an argument or in the environment; otherwise
    /// warnings in debug builds, and nothing in release builds.
    public var repeatedFaultingPolicy: RepeatedFaultingPolicy {
        get { state.settings.read(\.repeatedFaultingPolicy) }
        set {
            state.settings.exchange(newValue, \.repeatedFaultingPolicy)
            state.settings.countsFaults.store(newValue.response != .nothing, ordering: .relaxed)
        }
    }

    /// The relationships that were followed one fault at a time since the context was created or reset, each once.
    public var repeatedFaulting: [RepeatedFaulting] {
        checkQueue()
        return state.storedFaults?.runs?.found ?? []
    }
}
