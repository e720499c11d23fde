// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of a context, by name. Stages take the parts that they need from here.

import Foundation

/// Everything that a context has but its queue. Documentation/Contexts.md describes the parts and their rules.
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
    let family = ContextFamily()
    let undo: UndoHistory
    let saves = SaveProgress()

    // Set by `ContextState+Connection` alone.

    /// nil before the context has a coordinator or a parent.
    @exclusivity(unchecked) var storedSource: (any ContextSource)?
    /// nil before the first use of an object.
    @exclusivity(unchecked) var storedRegistry: ObjectRegistry?
    @exclusivity(unchecked) var storedFaults: FaultFulfilment?
    /// Those of former coordinators, which calls that are under way may still use.
    var formerFaults: [FaultFulfilment] = []
    /// The context, from its initializer on.
    private(set) unowned(unsafe) var owner: (any ObjectOwner)?

    /// For stages in `Fetching/`, which take a whole context.
    var context: NSManagedObjectContext {
        guard let owner = owner as? NSManagedObjectContext else { missingSource() }
        return owner
    }

    init() {
        settings = ContextSettings()
        retained = RetainedObjects(settings)
        tracker = ChangeTracker(settings, retained)
        notices = ContextNotices(scope)
        undo = UndoHistory(settings)
    }

    /// Called by the context's initializer.
    func begin(_ context: NSManagedObjectContext) {
        owner = context
        tracker.begin(context, context.concurrencyType == .mainQueueConcurrencyType ? TurnEnd(of: context) : nil)
        notices.poster = context
        undo.target = context
    }
}

// MARK: - Source and registry

extension ContextState {
    var parent: NSManagedObjectContext? { storedSource?.parent }

    var coordinator: NSPersistentStoreCoordinator? { storedSource?.coordinator }

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
}
