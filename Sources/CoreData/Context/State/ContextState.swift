// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of a context, by name, for the code that works on them.

import CRuntime
import Foundation

/// The whole state of a context except its queue. Documentation/Internals/Contexts.md describes the parts and their
/// rules.
///
/// Only the context owns it, and no part owns the context (Contexts-1). Parts are used on the context's queue, unless
/// their comments allow other threads.
final class ContextState {
    let settings: ContextSettings
    let tracker: ChangeTracker
    let retained: RetainedObjects
    let scope = ReadScope()
    let failures = ReadFailures()
    let notices: ContextNotices
    let relations = ContextRelations()
    let undo: UndoHistory
    let saves = SaveProgress()

    // Set only here and by `ContextState+Connection`.

    /// nil before the context has a coordinator or a parent.
    @exclusivity(unchecked) var storedSource: (any ContextSource)?
    /// nil before the first use of an object.
    @exclusivity(unchecked) var storedRegistry: ObjectRegistry?
    @exclusivity(unchecked) var storedFaults: FaultFulfilment?
    /// The observers of the coordinator; nil before the context has one.
    @exclusivity(unchecked) var observation: StoreObservation?
    /// Those of former coordinators, which calls in progress may still use.
    var formerFaults: [FaultFulfilment] = []
    /// Identifies the context in cursors at unsaved objects (Cursors-6); nil before the first one.
    var cursorMarker: UUID?
    /// Those objects by their temporary keys. A save gives them other keys.
    var cursorObjects: [Int64: NSManagedObject] = [:]
    /// The context; set by its initializer.
    private(set) unowned(unsafe) var owner: (any ObjectOwner)?

    init() {
        settings = ContextSettings()
        retained = RetainedObjects(settings)
        tracker = ChangeTracker(settings, retained)
        notices = ContextNotices(scope)
        undo = UndoHistory(settings)
    }

    /// Called by the context's initializer.
    ///
    /// - Parameter eventEndScheduler: nil unless the context uses the main queue.
    func begin(_ context: NSManagedObjectContext, _ eventEndScheduler: EventEndScheduler?) {
        owner = context
        tracker.begin(context, eventEndScheduler)
        notices.notificationObject = context
        undo.target = context
    }
}

// MARK: - Source and registry

extension ContextState {
    var parent: NSManagedObjectContext? { storedSource?.parent }

    var coordinator: NSPersistentStoreCoordinator? { storedSource?.coordinator }

    /// The present id of the same record, if its store was removed and added again.
    @inline(__always) func present(_ id: NSManagedObjectID) -> NSManagedObjectID {
        if let home = id.home, !home.hasStore { return coordinator?.presentID(of: id) ?? id }
        return id
    }

    /// A setting of the context, or of the nearest ancestor that has a value.
    func inherited<T>(_ value: (ContextSettings.Values) -> T?) -> T? {
        settings.read(value) ?? parent.flatMap { ($0 as any StateHolder).parts.inherited(value) }
    }

    /// - Throws: 134060 if the context has neither a coordinator nor a parent.
    func requireCoordinator(_ purpose: String) throws -> NSPersistentStoreCoordinator {
        guard let coordinator else {
            throw CoreDataError.general("The context has no persistent store coordinator, so it cannot \(purpose).")
        }
        return coordinator
    }

    var source: any ContextSource {
        guard let storedSource else { missingSource() }
        return storedSource
    }

    /// The registered objects and their identity maps.
    @inline(__always) var registry: ObjectRegistry { storedRegistry ?? makeRegistry() }

    /// Gives faults their values.
    @inline(__always) var faults: FaultFulfilment { storedFaults ?? makeFaults() }

    /// Traps if the check is on and the caller does not run on the context's queue.
    @inline(__always) func checkQueue() {
        if ocd_ownership_is_checked() { owner?.checkOwnership(of: nil) }
    }

    @inline(__always) func applyParentUpdates() { relations.applyUpdates(to: registry) }

    // MARK: Made when they are first used

    func makeRegistry() -> ObjectRegistry {
        guard let coordinator, let owner else { missingSource() }
        let registry = ObjectRegistry(model: coordinator.model, owner: owner)
        storedRegistry = registry
        return registry
    }

    func makeFaults() -> FaultFulfilment {
        let faults = FaultFulfilment(registry, source, tracker, failures, scope, relations)
        storedFaults = faults
        return faults
    }

    func missingSource() -> Never {
        preconditionFailure(
            "The context has no persistent store coordinator yet: set `persistentStoreCoordinator` or `parent` first.")
    }
}

/// Another context as the parts of a context use it: one to merge into, or the one of objects in conflict.
protocol StateHolder: ObjectOwner {
    var parts: ContextState { get }

    /// Runs a block on the context's queue and waits for it. Does not call overrides of the program.
    func waitOnQueue<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T

    /// Runs a block on the context's queue, as an event after earlier blocks. Does not call overrides of the program.
    func enqueue(_ block: @escaping @Sendable () -> Void)
}

extension NSManagedObject {
    /// The state of the object's context; nil for an object without a context.
    final var contextState: ContextState? { (table.owner as? any StateHolder)?.parts }
}
