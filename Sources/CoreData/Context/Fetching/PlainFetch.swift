// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The short way of look-ups.

import Foundation

/// A fetch of the kind that is made most often: objects of one entity, chosen by attributes compared with values, where
/// one store holds everything and nothing is unsaved.
///
/// Everything but the values was found out when it was first asked: whether names and types are right, the SQL, what its
/// columns are. `FetchExecution` does that, and all other fetches; both give the same.
enum PlainFetch {
    /// nil for a fetch of another kind, where the store has not been asked in this way before, and where an object is not of the
    /// type asked for.
    static func objects<T>(_ context: NSManagedObjectContext, _ request: NSFetchRequest<T>) throws -> [T]? {
        guard request.settings.isPlain, context.storedParent == nil, !context.isPinned,
            let predicate = request.settings.predicate, request.affectedStores == nil,
            let coordinator = context.persistentStoreCoordinator
        else { return nil }
        context.readNews()
        ChangeProcessing(context).run()
        guard context.tracker.unsaved.isEmpty, let store = coordinator.soleStore,
            let name = request.settings.entityName ?? request.settings.entity?.name,
            let layout = coordinator.model.layout(named: name),
            let condition = PlainCondition(predicate, of: layout)
        else { return nil }
        if request.settings.entity == nil { request.settings.entity = layout.entity }
        let question = PlainQuestion(
            layout: layout, includesSubentities: request.settings.includesSubentities, condition: condition,
            limit: request.settings.fetchLimit)
        context.beginFetch()
        guard let rows = try store.rows(question, in: context.burst) else { return nil }
        return ResultObjects.typed(ResultObjects(context, home: store.identity).objects(for: rows))
    }
}
