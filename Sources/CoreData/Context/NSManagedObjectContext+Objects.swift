// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entry points of a context for its objects and its queue.

import Foundation

extension NSManagedObjectContext: ObjectOwner {
    func realize(_ object: NSManagedObject, for key: String?) {
        // The state retains it: retaining it again would cost a tenth of a fault that is primed.
        Uncounted(state.faults).look { $0.realize(object, for: key) }
    }

    func realizeAll(_ objects: [NSManagedObject]) { state.faults.realizeAll(objects) }

    func object(at reference: Reference, from source: NSManagedObject) -> NSManagedObject {
        state.faults.object(at: reference, from: source)
    }

    func registeredObject(at reference: Reference, from source: NSManagedObject) -> NSManagedObject? {
        state.faults.registeredObject(at: reference, from: source)
    }

    func storedMembers(of slot: Int, in object: NSManagedObject) -> [NSManagedObject]? {
        state.faults.storedMembers(of: slot, in: object)
    }

    func updateToNewestRow(_ object: NSManagedObject, losing other: NSManagedObject) {
        NewerRows(state.faults).updateToNewestRow(object, losing: other)
    }

    func fetchedValue(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [NSManagedObject] {
        guard let request = property.fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult> else {
            return []
        }
        request.predicate = request.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
        ])
        do {
            return try FetchExecution(state, request).run(as: NSManagedObject.self)
        } catch {
            state.failures.note(error)
            return []
        }
    }

    func entity(of type: NSManagedObject.Type) -> NSEntityDescription { state.registry.entity(of: type) }

    func insertionTable(of entity: NSEntityDescription) -> Uncounted<ObjectTable> {
        state.registry.insertionTable(of: entity)
    }

    func largeData(at slot: Int, of object: NSManagedObject) -> Any? {
        LargeDataReading(scope: state.scope, failures: state.failures, model: state.registry.model)
            .data(at: slot, of: object)
    }

    func willChange(_ object: NSManagedObject) {
        object.checkOwnership()
        state.tracker.willChange(object)
    }

    func enter(_ object: NSManagedObject) {
        checkQueue()
        state.tracker.insert(object)
    }

    func learnKeys() {
        if !state.relations.updates.isEmpty, queue.isCurrent(self) { state.applyParentUpdates() }
    }
}

extension NSManagedObjectContext {
    var registry: ObjectRegistry { state.registry }

    // MARK: Blocks of the queue

    /// - Returns: whether the block is the outermost one; its end also ends the read transactions.
    func beginBlock() -> Bool {
        let isOutermost = state.scope.beginSharedRead()
        state.applyParentUpdates()
        return isOutermost
    }

    /// - Parameters:
    ///   - isEvent: whether the changes of the block are one event, and one step of undo.
    func endBlock(isOutermost: Bool, isEvent: Bool) {
        if isEvent {
            processPendingChanges()
            undoManager?.endEventGroup()
        }
        guard isOutermost else { return }
        state.scope.endSharedRead()
        state.storedFaults?.runs?.endEvent()
    }
}

// MARK: - For other contexts

extension NSManagedObjectContext: StateHolder, RelatedContext {
    var parts: ContextState { state }

    var relations: ContextRelations { state.relations }

    func mergeAfterCurrentWork() {
        // Only the thread that uses a confined context may enter it: it merges at its next use (`mergeNow`).
        if !concurrencyType.isConfined { queue.afterCurrentWork(of: self) { RemoteChanges.mergePosted(in: $0.state) } }
    }
}

extension NSManagedObjectContext {
    /// For the initializer of a main-queue context.
    func makeEventEndScheduler() -> EventEndScheduler {
        EventEndScheduler { [unowned(unsafe) self] eventEndScheduler in
            queue.afterCurrentWork(of: self) { context in
                eventEndScheduler.begin()
                context.processPendingChanges()
            }
        }
    }
}

extension NSManagedObjectContext {
    /// See `ContextInvariants`.
    package func brokenInvariants(bothEnds: Bool = false) -> [String] {
        ContextInvariants(state.tracker, state.storedRegistry).broken(bothEnds: bothEnds)
    }
}
