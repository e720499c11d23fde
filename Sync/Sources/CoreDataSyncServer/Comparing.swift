// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes records agree with the objects of the store when no history has the changes.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// For a store that sync has never seen, and for one with a history that was purged before it was folded.
///
/// (1) Objects without a record get one, and records without an object a tombstone.
/// (2) The values of an object with a record may have changed: it gets a new revision, so that each device pulls it.
///     Its stamps stay, because the new values among the others are not known.
/// (3) Each part is one save. The place in the history is that of the beginning and is stored with the last part, so
///     that later saves are folded afterwards, and an interrupted comparison begins again.
extension ServiceCore {
    /// The objects or records of one save.
    private static let part = 2_000

    func compare(_ context: NSManagedObjectContext) throws {
        let last = try transactions(after: nil, context, .transactionsOnly).last
        let place = last.map { HistoryPlace(number: $0.transactionNumber, token: $0.token) }
        for name in model.entities.keys.sorted() {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: name)
            request.resultType = .managedObjectIDResultType
            request.includesSubentities = false
            for part in try context.fetch(request).parts(of: Self.part) { try compare(part, context) }
        }
        var name = ""
        while let last = try buryMissing(after: name, context) { name = last }
        try number(context) { state in
            state.schema = versions.digest
            state.folded = place?.token
            state.foldedNumber = place?.number ?? 0
        }
        seen = place
        acknowledge()
        context.reset()
    }

    /// (1), (2)
    private func compare(_ ids: [NSManagedObjectID], _ context: NSManagedObjectContext) throws {
        try completing(context) { table, consequences in
            let objects = try table.objects(ids, prefetching: model)
            try table.load(objects: objects.values)
            for id in ids {
                guard let object = objects[id], let entity = model.entity(of: object) else { continue }
                guard let entry = try table.entry(of: object) else {
                    try consequences.note(object, entity, keys: nil)
                    continue
                }
                entry.isTouched = true
                try consequences.note(object, entity, keys: Set(entity.members.keys).union(entity.orders.keys))
            }
        }
    }

    /// (1)
    ///
    /// - Returns: the last name that was looked at; nil after all of them.
    private func buryMissing(after name: String, _ context: NSManagedObjectContext) throws -> String? {
        var last: String?
        try completing(context) { table, consequences in
            let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
            request.predicate = NSPredicate(
                format: "name > %@ AND state == %d", name, Int32(RecordRow.State.present.rawValue))
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchLimit = Self.part
            let rows = try context.fetch(request).map(RecordRow.init)
            last = rows.last?.name.text
            try table.load(Set(rows.map(\.name)))
            for row in rows {
                guard let entry = table.resolve(row.name), entry.object == nil else { continue }
                consequences.bury(entry)
            }
        }
        return last
    }

    /// Saves the changes that a block notes, under the next revision.
    private func completing(
        _ context: NSManagedObjectContext, _ body: (RecordTable, Consequences) throws -> Void
    ) throws {
        let state = try state(context)
        let table = RecordTable(context)
        let consequences = consequences(context, table, state, cause: stamp(after: [], state))
        try body(table, consequences)
        guard table.all.contains(where: \.isTouched) else { return context.reset() }
        try number(context) { _ in try consequences.complete() }
        context.reset()
    }
}
