// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the values of changed objects, and writes the changes of a batch.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Makes changes of a fold, with names for new objects.
struct ChangeWriter {
    let engine: SyncEngine
    let context: NSManagedObjectContext
    let names: NameTable
    let replica: UUID
    /// The clocks of the transactions, by index.
    let clocks: [UInt64]
    /// The numbers of the transactions, by index.
    let numbers: [Int64]
    /// Identify the transactions in their store, by index; objects that are older than the history have none.
    let marks: [String]
    /// The transactions that inserted objects, by the objects' names.
    private var inserters: [UUID: Int] = [:]

    init(
        engine: SyncEngine, context: NSManagedObjectContext, names: NameTable, replica: UUID, clocks: [UInt64],
        numbers: [Int64], marks: [String]
    ) {
        self.engine = engine
        self.context = context
        self.names = names
        self.replica = replica
        self.clocks = clocks
        self.numbers = numbers
        self.marks = marks
    }

    private func stamp(_ index: Int) -> SyncStamp { SyncStamp(clock: clocks[index], replica: replica) }

    /// A changed object of the app.
    private struct Changed {
        let uri: String
        let id: NSManagedObjectID
        let entry: HistoryFold.Entry
    }

    /// A changed object that exists, with its name.
    private struct Named {
        let object: NSManagedObject
        let entity: SyncEntity
        let entry: HistoryFold.Entry
        let row: NameRow
        let name: UUID
        let isNew: Bool
    }

    /// - Returns: the changes in the order of the records' names; their groups are indexes of transactions.
    mutating func changes(_ fold: inout HistoryFold) throws -> [SyncChange] {
        let sorted = fold.entries
            .map { Changed(uri: $0.key.uriRepresentation().absoluteString, id: $0.key, entry: $0.value) }
            .sorted { $0.uri < $1.uri }
        try names.load(uris: sorted.lazy.map(\.uri))
        var result: [(change: SyncChange, index: Int)] = []
        result.reserveCapacity(sorted.count)
        for changed in sorted where changed.entry.kind == .delete {
            // An object without a name was inserted and deleted between two captures.
            guard let row = try names.row(uri: changed.uri) else { continue }
            let index = changed.entry.transactions.last ?? 0
            let change = SyncChange(
                .delete, name: row.name, entity: changed.id.entity.name ?? "", group: 0, stamp: stamp(index))
            result.append((change, index))
            names.remove(row)
        }
        let living = sorted.filter { $0.entry.kind != .delete }
        // Held until their changes are written, so that they are found by their ids.
        let read = try engine.objects(living.map(\.id), context)
        let objects = try withExtendedLifetime(read) { try named(living) }
        try names.load(
            uris: objects.flatMap { relatives(of: $0) }.map { $0.objectID.uriRepresentation().absoluteString })
        for named in objects {
            guard let change = try change(named, &fold) else { continue }
            result.append((change, named.entry.transactions[0]))
        }
        for position in result.indices { result[position].change.group = fold.root(result[position].index) }
        // Indexes are sorted, because each move of a change would copy its dictionaries' references.
        return result.indices.sorted { result[$0].change.name.precedes(result[$1].change.name) }
            .map { result[$0].change }
    }

    /// The objects that exist, with names for new ones.
    private mutating func named(_ living: [Changed]) throws -> [Named] {
        let existing = living.compactMap { changed in
            // Others are faults at most: destinations of those that were read.
            context.registeredObject(for: changed.id).flatMap { $0.isFault ? nil : (changed, $0) }
        }
        var candidates = [[UUID]](repeating: [], count: existing.count)
        for (index, (changed, object)) in existing.enumerated() where try names.row(uri: changed.uri) == nil {
            candidates[index] = newNames(object, changed.entry, changed.uri)
        }
        try names.load(names: candidates.joined())
        names.reserve(existing.count)
        var result: [Named] = []
        result.reserveCapacity(existing.count)
        for (index, (changed, object)) in existing.enumerated() {
            guard let entity = engine.model.entity(of: object) else { continue }
            let entry = changed.entry
            if let row = try names.row(uri: changed.uri) {
                result.append(
                    Named(object: object, entity: entity, entry: entry, row: row, name: row.name, isNew: false))
                continue
            }
            let free = try candidates[index].first { try names.row(name: $0) == nil }
            let name = free ?? engine.environment.makeID()
            let row = names.insert(name, uri: changed.uri, number: numbers[entry.transactions[0]])
            inserters[name] = entry.transactions[0]
            result.append(Named(object: object, entity: entity, entry: entry, row: row, name: name, isNew: true))
        }
        return result
    }

    /// The names that a new object may have, the best one first: the value of the unique UUID attribute, and the stable
    /// name. If other objects have them already, it gets a random one.
    private func newNames(_ object: NSManagedObject, _ entry: HistoryFold.Entry, _ uri: String) -> [UUID] {
        let key = engine.model.entity(of: object)?.nameAttribute
        var names = [key.flatMap { object.value(forKey: $0) as? UUID }].compactMap { $0 }
        let inserter = entry.transactions[0]
        if entry.kind == .insert, inserter < marks.count, !engine.faults.contains(.namesAtRandom) {
            names.append(engine.stableName.name(uri: uri, mark: marks[inserter]))
        }
        return names
    }

    /// The objects that the change of an object names.
    private func relatives(of named: Named) -> [NSManagedObject] {
        let (entity, entry) = (named.entity, named.entry)
        let isWhole = named.isNew || entry.isWhole
        var found: [NSManagedObject] = []
        for key in entity.linkKeys where isWhole || entry.properties[key] != nil {
            if let object = named.object.value(forKey: key) as? NSManagedObject { found.append(object) }
        }
        for key in entity.memberKeys where isWhole || entry.properties[key] != nil {
            found += named.object.syncMembers(key)
        }
        return found
    }

    private func change(_ named: Named, _ fold: inout HistoryFold) throws -> SyncChange? {
        let (object, entity, entry, row) = (named.object, named.entity, named.entry, named.row)
        let last = entry.transactions.last ?? 0
        // An insertion with a name is captured again: the server may have the record, or not.
        let isAgain = entry.kind == .insert && !named.isNew
        var change = SyncChange(
            named.isNew || isAgain ? .insert : .update, name: named.name, entity: entity.name, group: 0,
            stamp: stamp(last))
        let isWhole = named.isNew || entry.isWhole
        func index(_ key: String) -> Int? { isWhole ? entry.properties[key] ?? last : entry.properties[key] }
        if isWhole { change.fields.reserveCapacity(entity.values.count + entity.linkKeys.count) }
        var known = named.isNew ? KnownState() : row.known
        if isAgain, entry.transactions[0] < marks.count { known.counters = [:] }
        for (key, attribute) in entity.values {
            guard let index = index(key) else { continue }
            if entity.counters[key] == nil {
                change.fields[key] = SyncField(
                    try engine.outgoing(try SyncValueCoding.encode(object.value(forKey: key), attribute)), stamp(index))
                continue
            }
            let present = (object.value(forKey: key) as? NSNumber)?.int64Value
            let value = present ?? 0
            let difference = value.subtractingReportingOverflow(known.counters[key] ?? 0).partialValue
            known.counters[key] = value == 0 ? nil : value
            if difference != 0 || (named.isNew || isAgain) && present != nil { change.counters[key] = difference }
        }
        for key in entity.linkKeys {
            guard let index = index(key) else { continue }
            let target = try (object.value(forKey: key) as? NSManagedObject).flatMap { try name(of: $0) }
            if target == nil, known.outside?.contains(key) ?? false { continue }
            known.outside = known.outside?.filter { $0 != key }
            change.fields[key] = SyncField(target.map(SyncValue.link) ?? .null, stamp(index))
            join(target, entry, &fold)
        }
        for key in entity.memberKeys where entity.members[key] != nil && index(key) != nil {
            let members = try object.syncMembers(key).compactMap { try name(of: $0) }
            let before = known.members[key] ?? []
            if members.isEmpty, before.isEmpty { continue }
            let added = Set(members).subtracting(before)
            for member in added { join(member, entry, &fold) }
            let removed = Set(before).subtracting(members)
            known.members[key] = members.isEmpty ? nil : members.sorted { $0.precedes($1) }
            if added.isEmpty, removed.isEmpty { continue }
            change.members[key] = SyncMembers(
                added: added.sorted { $0.precedes($1) },
                removed: removed.sorted { $0.precedes($1) })
        }
        for (key, relationship) in entity.orders {
            guard let index = index(key) else { continue }
            try write(relationship, object, stamp(index), &known, &change)
        }
        if !change.counters.isEmpty {
            let indexes = entry.transactions.filter { $0 < marks.count }.suffix(32)
            if !indexes.isEmpty { change.origin = engine.stableName.origin(marks: indexes.map { marks[$0] }) }
        }
        if !named.isNew || !known.isEmpty { row.known = known }
        return named.isNew || isAgain || !change.isEmpty ? change : nil
    }

    /// A record is only there together with the record that it leads to.
    private func join(_ target: UUID?, _ entry: HistoryFold.Entry, _ fold: inout HistoryFold) {
        guard let target, let inserter = inserters[target] else { return }
        fold.join(inserter, entry.transactions[0])
    }

    private func write(
        _ relationship: NSRelationshipDescription, _ object: NSManagedObject, _ stamp: SyncStamp,
        _ known: inout KnownState, _ change: inout SyncChange
    ) throws {
        let key = relationship.name
        let members = try object.syncMembers(key).compactMap { try name(of: $0) }
        if members.isEmpty { return }
        var keys: [UUID: String] = [:]
        for (member, place) in known.orders[key] ?? [:] {
            if let name = UUID(text: member) { keys[name] = place }
        }
        let places = SyncOrder.changes(for: members, keys: keys)
        guard !places.isEmpty else { return }
        for (name, place) in places {
            known.orders[key, default: [:]][name.text] = place
            change.places[key, default: [:]][name.text] = SyncPlace(place, stamp)
        }
    }

    private func name(of object: NSManagedObject) throws -> UUID? {
        try names.row(uri: object.objectID.uriRepresentation().absoluteString)?.name
    }
}

extension SyncChange {
    var isEmpty: Bool { fields.isEmpty && members.isEmpty && counters.isEmpty && places.isEmpty }
}
