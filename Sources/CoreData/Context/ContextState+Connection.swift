// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Connects a context to its source: a coordinator or a parent. Contexts-2.

import Foundation
import Synchronization

extension ContextState {
    func setParent(_ parent: NSManagedObjectContext?, of context: NSManagedObjectContext) {
        guard parent !== self.parent else { return }
        guard let parent else {
            preconditionFailure("A context cannot be cut off from its parent: release the context instead.")
        }
        precondition(
            storedSource == nil,
            "A context that has a coordinator or a parent already cannot get another parent: make a new context.")
        precondition(
            !context.concurrencyType.isConfined && !parent.concurrencyType.isConfined,
            "A context of the confinement type has no parent and no children: use one with a queue.")
        precondition(
            !sequence(first: parent, next: \.state.parent).contains { $0 === context },
            "A context cannot be its own ancestor.")
        storedSource = ParentSource(parent, parent.state, of: self)
        observation = parent.state.observation
        parent.state.relations.children.add(context)
    }

    func setCoordinator(_ coordinator: NSPersistentStoreCoordinator?, of context: NSManagedObjectContext) {
        guard let coordinator else {
            preconditionFailure("A context cannot be cut off from its coordinator: release the context instead.")
        }
        precondition(parent == nil, "A context with a parent uses its parent's coordinator.")
        guard coordinator !== self.coordinator else { return }
        // A context in use changes its coordinator on its queue.
        guard storedRegistry != nil else { return connect(to: coordinator, context) }
        context.queue.sync(context) { connect(to: coordinator, context) }
    }

    /// May be called on any thread.
    ///
    /// - Parameter whenCalled: whether a confined context merges only when the program calls `mergeNow`.
    func setMergesAutomatically(_ isOn: Bool, of context: NSManagedObjectContext, whenCalled: Bool = false) {
        precondition(
            !isOn || whenCalled || !context.concurrencyType.isConfined,
            "A context of the confinement type has no queue to merge on: call `mergeChanges(fromContextDidSave:)` yourself."
        )
        guard settings.mergesAutomatically.exchange(isOn, ordering: .acquiringAndReleasing) != isOn,
            let storedSource, storedSource.parent == nil
        else { return }
        if isOn { storedSource.followers.add(context) } else { storedSource.followers.remove(context) }
    }

    private func connect(to coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext) {
        precondition(
            storedRegistry == nil || !tracker.hasChanges,
            "A context with unsaved changes cannot change its coordinator: save or reset it first.")
        undo.endEpoch()
        disconnect(context)
        // Waits for the migration of a store, because a migration uses all contexts.
        coordinator.performAndWait { coordinator.contexts.add(context) }
        storedSource = CoordinatorSource(coordinator, scope)
        scope.coordinator = coordinator
        observation = coordinator.observation
        if context.automaticallyMergesChangesFromParent { coordinator.followers.add(context) }
        scope.forgetGeneration()
        storedRegistry = ObjectRegistry(model: coordinator.model, owner: context)
        if let storedFaults { formerFaults.append(storedFaults) }
        storedFaults = nil
    }

    /// Disconnects from the source, and removes the registered objects from the context.
    func disconnect(_ context: NSManagedObjectContext) {
        if let storedSource {
            storedSource.followers.remove(context)
            if storedSource.parent == nil { storedSource.coordinator?.contexts.remove(context) }
        }
        if let storedRegistry, let report = coordinator?.contexts.endObserver.withLock({ $0 }) {
            report(
                EndedContext(
                    name: context.name, objects: storedRegistry.objects(),
                    repeatedFaulting: storedFaults?.runs?.found ?? []))
        }
        storedRegistry?.detachObjects(usesRowCache: storedSource?.parent == nil && !scope.readsGeneration)
    }
}
