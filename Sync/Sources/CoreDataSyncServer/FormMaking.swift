// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the compact forms of records in saves and compactions, and compares them with the objects.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Makes the forms of the records of one save (`Documentation/Forms.md`, F3).
struct FormMaking {
    let forms: RecordForms
    let model: SyncModel
    let table: RecordTable
    /// Whether the objects' changes since the older forms are those of this save (F4).
    let takesOlderForms: Bool

    /// - Parameter revision: the one that the records get or have.
    func renew(_ entries: [TableEntry], revision: (TableEntry) -> Int64) throws {
        var sources: [ReadingSource] = []
        for entry in entries {
            guard entry.row.state == .present, let object = entry.object, !object.isDeleted,
                forms.has(entry.entity), let entity = model.entities[entry.entity]
            else {
                entry.row.removeForm()
                continue
            }
            let old = takesOlderForms && !object.isInserted ? forms.state(of: entry.row) : nil
            let change = old.map { (old: $0, keys: Set(object.changedValues().keys)) }
            sources.append(ReadingSource(entry, name: entry.name, object, entity, since: change))
        }
        try table.load(objects: sources.lazy.flatMap(\.destinations))
        let reading = RecordReading(table: table)
        for source in sources {
            let (state, isWhole) = try reading.state(source)
            var small = state
            if state.values.contains(where: { $0.value.isLarge(forms.large) }) {
                small.values = state.values.mapValues { $0.withoutBytes(forms.large) }
            }
            if isWhole, let form = forms.form(of: small, isStored: !takesOlderForms) {
                source.entry.row.set(form, for: revision(source.entry))
            } else {
                source.entry.row.removeForm()
            }
        }
    }
}

extension ServiceCore {
    /// The records of one save.
    private static let formPart = 1_000

    /// Makes the forms that are missing or void, in the order of names (F8). Changes no revision.
    func fillForms(_ context: NSManagedObjectContext) throws -> Int {
        var (name, count) = ("", 0)
        while true {
            defer { context.reset() }
            let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
            request.predicate = NSPredicate(
                format: "name > %@ AND state == %d AND entityName IN %@", name,
                Int32(RecordRow.State.present.rawValue), forms.entities)
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            request.fetchLimit = Self.formPart
            request.returnsObjectsAsFaults = false
            let rows = try context.fetch(request).map(RecordRow.init)
            guard let last = rows.last else { return count }
            name = last.object.value(forKey: "name") as? String ?? ""
            let void = rows.filter { forms.state(of: $0) == nil }
            guard !void.isEmpty else { continue }
            let table = RecordTable(context)
            try table.load(void, prefetching: model)
            try formMaking(table).renew(void.compactMap { table.entry(ofName: $0.name) }) { $0.row.revision }
            count += void.filter { $0.formRevision == $0.revision }.count
            guard context.hasChanges else { continue }
            try context.save()
        }
    }

    /// The first difference between a form that counts and its object (F5); nil without one, and while the server's own
    /// changes are not folded.
    func wrongForm(_ context: NSManagedObjectContext) throws -> (text: String?, count: Int) {
        defer { context.reset() }
        if try hasForeignTransactions(context) { return (nil, 0) }
        let present = NSPredicate(format: "state == %d", Int32(RecordRow.State.present.rawValue))
        let rows = try RecordRow.fetch(present, in: context).filter { forms.state(of: $0) != nil }
        let table = RecordTable(context)
        try table.load(rows, prefetching: model)
        let reading = RecordReading(table: table)
        for row in rows {
            guard let entry = table.entry(ofName: row.name), let form = forms.state(of: row) else { continue }
            guard let object = entry.object, let entity = model.entities[entry.entity] else {
                return ("The form of \(row.entityName) \(row.name) has no object.", rows.count)
            }
            var state = try reading.state(ReadingSource(entry, name: entry.name, object, entity)).state
            state.values = state.values.mapValues { $0.withoutBytes(forms.large) }
            if state != form { return ("The form of a record is \(form), its object \(state).", rows.count) }
        }
        return (nil, rows.count)
    }
}
