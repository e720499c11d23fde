// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The settings of a context, as its properties.

public import Foundation
import Synchronization

extension NSManagedObjectContext {
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

extension NSManagedObjectContext {
    /// The response of the context to relationships that are followed one fault at a time. May be set on any thread.
    ///
    /// Unless set: `-OpenCoreData.FaultRuns off|warning|strict`, an argument or in the environment; else
    /// warnings in debug builds, nothing in others.
    public var repeatedFaultingPolicy: RepeatedFaultingPolicy {
        get { state.settings.read(\.repeatedFaultingPolicy) }
        set {
            state.settings.exchange(newValue, \.repeatedFaultingPolicy)
            state.settings.countsFaults.store(newValue.response != .nothing, ordering: .relaxed)
        }
    }

    /// The relationships that were followed one fault at a time since the context was made or reset, each once.
    public var repeatedFaulting: [RepeatedFaulting] {
        checkQueue()
        return state.storedFaults?.runs?.found ?? []
    }
}
