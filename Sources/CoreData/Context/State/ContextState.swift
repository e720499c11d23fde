// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of a context, by name. Stages take the parts that they need from here.

import CRuntime
import Foundation

/// Everything that a context has but its queue. Documentation/Internals/Contexts.md describes the parts and their
/// rules.
///
/// The context alone owns it, and no part owns the context (Contexts-1). Parts are used on the context's queue, unless
/// their own comment allows other threads.
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

    // Set here and by `ContextState+Connection` alone.

    /// nil before the context has a coordinator or a parent.
    @exclusivity(unchecked) var storedSource: (any ContextSource)?
    /// nil before the first use of an object.
    @exclusivity(unchecked) var storedRegistry: ObjectRegistry?
    @exclusivity(unchecked) var storedFaults: FaultFulfilment?
    /// Those of former coordinators, which calls that are under way may still use.
    var formerFaults: [FaultFulfilment] = []
    /// The context, from its initializer on.
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
    /// - Parameter turnEnd: nil for a context without the main queue.
    func begin(_ context: NSManagedObjectContext, _ turnEnd: TurnEnd?) {
        owner = context
        tracker.begin(context, turnEnd)
        notices.poster = context
        undo.target = context
    }
}

// MARK: - Source and registry

extension ContextState {
    var parent: NSManagedObjectContext? { storedSource?.parent }

    var coordinator: NSPersistentStoreCoordinator? { storedSource?.coordinator }

    /// The id of the same record now, if its store was removed and added again.
    @inline(__always) func present(_ id: NSManagedObjectID) -> NSManagedObjectID {
        if let home = id.home, !home.hasStore { return coordinator?.presentID(of: id) ?? id }
        return id
    }

    /// A setting of the context, or of the nearest ancestor that has a value.
    func inherited<T>(_ value: (ContextSettings.Values) -> T?) -> T? {
        settings.read(value) ?? parent.flatMap { ($0 as any StateHolder).parts.inherited(value) }
    }

    /// - Throws: 134060 where the context has neither a coordinator nor a parent.
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

    /// Stops the program when the check is on and this is not the context's queue.
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

/// A context as stages know others: those that they merge into, and those of objects in conflict.
protocol StateHolder: ObjectOwner {
    var parts: ContextState { get }

    /// Runs a block on the context's queue and waits for it. No override of the program takes part.
    func waitOnQueue<T, Failure: Error>(_ block: () throws(Failure) -> T) throws(Failure) -> T

    /// Runs a block on the context's queue, as an event after earlier blocks. No override of the program takes part.
    func enqueue(_ block: @escaping @Sendable () -> Void)
}

extension NSManagedObject {
    /// The state of the object's context; nil for an object that is in none.
    final var contextState: ContextState? { (table.owner as? any StateHolder)?.parts }
}
