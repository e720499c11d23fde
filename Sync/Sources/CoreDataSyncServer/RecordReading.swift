// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the states of records out of their objects.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// A record whose state is wanted, its object, and the objects that its state names.
struct ReadingSource {
    let entry: TableEntry
    let name: UUID
    let object: NSManagedObject
    let entity: SyncEntity
    /// The older state and the keys that changed since; nil to read all.
    let change: (old: SyncRecordState, keys: Set<String>)?
    /// The destinations of links, without the missing ones.
    let links: [NSManagedObject]
    /// The members of `SyncEntity.memberKeys`; empty for those that are not read.
    let members: [[NSManagedObject]]

    init(
        _ entry: TableEntry, name: UUID, _ object: NSManagedObject, _ entity: SyncEntity,
        since change: (old: SyncRecordState, keys: Set<String>)? = nil
    ) {
        self.entry = entry
        self.name = name
        self.object = object
        self.entity = entity
        self.change = change
        func isRead(_ key: String) -> Bool { change?.keys.contains(key) ?? true }
        links = entity.linkKeys.compactMap { isRead($0) ? object.value(forKey: $0) as? NSManagedObject : nil }
        // The keys of an order may change without its members.
        members = entity.memberKeys.map { isRead($0) || entity.orders[$0] != nil ? object.syncMembers($0) : [] }
    }

    var isEachRead: Bool { change == nil }
    func isRead(_ key: String) -> Bool { change?.keys.contains(key) ?? true }
    var destinations: [NSManagedObject] { links + members.joined() }
}

/// Reads states with the records of a table.
struct RecordReading {
    let table: RecordTable

    /// The state of a record. The records of the source's destinations are in the table.
    ///
    /// - Returns: the state with the bytes of large values, except for those that an older state has as hashes; and
    ///   whether all its destinations have records, without which they are left out.
    func state(_ source: ReadingSource) throws -> (state: SyncRecordState, isWhole: Bool) {
        let (object, entity) = (source.object, source.entity)
        var isWhole = true
        var state =
            source.change?.old ?? SyncRecordState(name: source.name, entity: entity.name, state: .present)
        if source.isEachRead {
            state.values = try object.syncAttributes(entity)
        } else {
            for (key, attribute) in entity.values where source.isRead(key) {
                state.values[key] = try SyncValueCoding.encode(object.value(forKey: key), attribute)
            }
        }
        func name(_ destination: NSManagedObject) throws -> UUID? {
            let name = try table.entry(of: destination)?.name
            if name == nil { isWhole = false }
            return name
        }
        for key in entity.linkKeys where source.isRead(key) {
            let destination = source.links.isEmpty ? nil : object.value(forKey: key) as? NSManagedObject
            state.values[key] = try destination.flatMap(name).map { .link($0) } ?? .null
        }
        for (key, members) in zip(entity.memberKeys, source.members) {
            let isOrder = entity.orders[key] != nil
            guard isOrder || source.isRead(key) else { continue }
            let names = try members.compactMap(name)
            if entity.members[key] != nil { state.members[key] = names.sorted { $0.precedes($1) } }
            guard isOrder else { continue }
            let places = names.isEmpty ? [:] : source.entry.metadata.places[key] ?? [:]
            state.orders[key] = names.lazy.map(\.text).reduce(into: [:]) { $0[$1] = places[$1]?.key }
        }
        return (state, isWhole)
    }
}

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
            let making = FormMaking(forms: forms, model: model, table: table, takesOlderForms: false)
            try making.renew(void.compactMap { table.entry(ofName: $0.name) }) { $0.row.revision }
            count += void.filter { $0.formRevision == $0.revision }.count
            guard context.hasChanges else { continue }
            try context.save()
        }
    }

    /// The first difference between a form that counts and its object (F5); nil without one, and while the server's own
    /// changes are not folded. For tests: reads all records.
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
