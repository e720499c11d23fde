// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The handles of a context, and its life without one. SwiftData-L1 to L5.

import CoreData
import Foundation

extension EngineContext {
    /// The first handle begins.
    func begin(_ handle: ModelContext) {
        container = handle.container
        above = handle
        followSaves { [unowned self] saved in saveRecord?.note(saved) }
    }

    /// The handle is released: unsaved changes are discarded, and models keep the context.
    ///
    /// - Parameter isShared: whether the program uses the managed object context, too. Its changes then stay.
    func loseHandle(isShared: Bool) {
        ignoreSaves()
        if !isShared {
            undoManager = nil
            if hasChangesToSave { rollback() }
        }
        let objects = beginHeld()
        for case let row as ModelRow in objects { row.loseHandle() }
        let hold = hold()
        for case let row as ModelRow in objects { row.keep(hold) }
    }

    /// Begins another handle. Saves of other contexts have not been merged since the last handle ended.
    func readAgain() {
        refreshAllObjects()
        let rows = registeredObjects.filter { $0.hasRecordKey && !$0.isInserted }
        var gone: [NSManagedObjectID] = []
        for (entity, rows) in Dictionary(grouping: rows, by: \.entity) {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name ?? "")
            request.entity = entity
            request.resultType = .managedObjectIDResultType
            request.includesSubentities = false
            request.includesPendingChanges = false
            let ids = rows.map(\.objectID)
            request.predicate = NSPredicate(format: "SELF IN %@", ids)
            do {
                let found = Set(try fetch(request))
                gone += ids.filter { !found.contains($0) }
            } catch {
                ModelLog.warn("The records of '\(entity.name ?? "")' could not be looked for: \(error)")
            }
        }
        if gone.isEmpty { return }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: gone], into: [self])
    }

    /// The object that models retain to keep this context.
    func hold() -> ContextRetainer {
        if let models { return models }
        let made = ContextRetainer(self)
        models = made
        return made
    }

    /// The last model has been released.
    func endHold() {
        let ended = handleLock.withLock {
            defer { laterHandle = nil }
            return laterHandle
        }
        withExtendedLifetime(ended) {}
    }

    /// The handle; if it was released, a new one, which stays as long as the models.
    var handle: ModelContext? {
        if let above { return above }
        guard let container, models != nil else { return nil }
        let made = ModelContext(container, again: self)
        above = made
        handleLock.withLock { laterHandle = made }
        return made
    }
}
