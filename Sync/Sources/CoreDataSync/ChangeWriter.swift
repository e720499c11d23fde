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

    /// - Returns: the changes in the order of the records' names; their groups are indexes of transactions.
    mutating func changes(_ fold: inout HistoryFold) throws -> [SyncChange] {
        let sorted = fold.entries.map { (uri: $0.key.uriRepresentation().absoluteString, id: $0.key, entry: $0.value) }
            .sorted { $0.uri < $1.uri }
        try names.load(uris: sorted.map(\.uri))
        var result: [(change: SyncChange, index: Int)] = []
        for (uri, id, entry) in sorted where entry.kind == .delete {
            // An object without a name was inserted and deleted between two captures.
            guard let row = try names.row(uri: uri) else { continue }
            let index = entry.transactions.last ?? 0
            let change = SyncChange(
                .delete, name: row.name, entity: id.entity.name ?? "", group: 0, stamp: stamp(index))
            result.append((change, index))
            names.remove(row)
        }
        let living = sorted.filter { $0.entry.kind != .delete }
        let read = Dictionary(
            try engine.objects(living.map(\.id), context).map { ($0.objectID, $0) }, uniquingKeysWith: { $1 })
        var candidates: [String: [UUID]] = [:]
        for (uri, id, entry) in living {
            guard let object = read[id], try names.row(uri: uri) == nil else { continue }
            candidates[uri] = newNames(object, entry, uri)
        }
        try names.load(names: candidates.values.joined())
        var objects: [(NSManagedObject, HistoryFold.Entry, NameRow, isNew: Bool)] = []
        for (uri, id, entry) in living {
            guard let object = read[id], engine.model.entity(of: object) != nil else { continue }
            if let row = try names.row(uri: uri) {
                objects.append((object, entry, row, false))
            } else {
                let number = numbers[entry.transactions[0]]
                let name = try candidates[uri]?.first { try names.row(name: $0) == nil }
                let row = names.insert(name ?? engine.environment.makeID(), uri: uri, number: number)
                inserters[row.name] = entry.transactions[0]
                objects.append((object, entry, row, true))
            }
        }
        try names.load(
            uris: objects.flatMap { object, entry, _, isNew in relatives(of: object, entry, isNew) }
                .map { $0.objectID.uriRepresentation().absoluteString })
        for (object, entry, row, isNew) in objects {
            guard let change = try change(object, entry, row, isNew, &fold) else { continue }
            result.append((change, entry.transactions[0]))
        }
        return result.map { change, index in
            var change = change
            change.group = fold.root(index)
            return change
        }.sorted { $0.name.precedes($1.name) }
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
    private func relatives(
        of object: NSManagedObject, _ entry: HistoryFold.Entry, _ isNew: Bool
    ) -> [NSManagedObject] {
        guard let entity = engine.model.entity(of: object) else { return [] }
        func isChanged(_ key: String) -> Bool { isNew || entry.isWhole || entry.properties[key] != nil }
        return entity.links.keys.filter(isChanged).compactMap { object.value(forKey: $0) as? NSManagedObject }
            + Set(entity.members.keys).union(entity.orders.keys).filter(isChanged).flatMap { object.syncMembers($0) }
    }

    private func change(
        _ object: NSManagedObject, _ entry: HistoryFold.Entry, _ row: NameRow, _ isNew: Bool, _ fold: inout HistoryFold
    ) throws -> SyncChange? {
        guard let entity = engine.model.entity(of: object) else { return nil }
        let last = entry.transactions.last ?? 0
        // An insertion with a name is captured again: the server may have the record, or not.
        let isAgain = entry.kind == .insert && !isNew
        var change = SyncChange(
            isNew || isAgain ? .insert : .update, name: row.name, entity: entity.name, group: 0, stamp: stamp(last))
        let isWhole = isNew || entry.isWhole
        func index(_ key: String) -> Int? { isWhole ? entry.properties[key] ?? last : entry.properties[key] }
        for (key, attribute) in entity.attributes {
            guard let index = index(key) else { continue }
            change.fields[key] = SyncField(
                try engine.outgoing(try SyncValueCoding.encode(object.value(forKey: key), attribute)), stamp(index))
        }
        var known = row.known
        if isAgain, entry.transactions[0] < marks.count { known.counters = [:] }
        for key in entity.links.keys {
            guard let index = index(key) else { continue }
            let target = try (object.value(forKey: key) as? NSManagedObject).flatMap { try name(of: $0) }
            if target == nil, known.outside?.contains(key) ?? false { continue }
            known.outside = known.outside?.filter { $0 != key }
            change.fields[key] = SyncField(target.map(SyncValue.link) ?? .null, stamp(index))
            join(target, entry, &fold)
        }
        for key in entity.members.keys where index(key) != nil {
            let members = try object.syncMembers(key).compactMap { try name(of: $0) }
            let before = known.members[key] ?? []
            let added = Set(members).subtracting(before)
            for member in added { join(member, entry, &fold) }
            let removed = Set(before).subtracting(members)
            known.members[key] = members.sorted { $0.precedes($1) }
            if added.isEmpty, removed.isEmpty { continue }
            change.members[key] = SyncMembers(
                added: added.sorted { $0.precedes($1) },
                removed: removed.sorted { $0.precedes($1) })
        }
        for (key, relationship) in entity.orders {
            guard let index = index(key) else { continue }
            try write(relationship, object, stamp(index), &known, &change)
        }
        for key in entity.counters.keys where index(key) != nil {
            let present = (object.value(forKey: key) as? NSNumber)?.int64Value
            let value = present ?? 0
            let difference = value.subtractingReportingOverflow(known.counters[key] ?? 0).partialValue
            known.counters[key] = value
            if difference != 0 || (isNew || isAgain) && present != nil { change.counters[key] = difference }
        }
        let indexes = entry.transactions.filter { $0 < marks.count }.suffix(32)
        if !change.counters.isEmpty, !indexes.isEmpty {
            change.origin = engine.stableName.origin(marks: indexes.map { marks[$0] })
        }
        row.known = known
        return isNew || isAgain || !change.isEmpty ? change : nil
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
        var keys: [UUID: String] = [:]
        for (member, place) in known.orders[key] ?? [:] {
            if let name = UUID(text: member) { keys[name] = place }
        }
        let places = SyncOrder.changes(for: members, keys: keys)
        guard !places.isEmpty else { return }
        for (name, place) in places {
            known.orders[key, default: [:]][name.uuidString] = place
            change.places[key, default: [:]][name.uuidString] = SyncPlace(place, stamp)
        }
    }

    private func name(of object: NSManagedObject) throws -> UUID? {
        try names.row(uri: object.objectID.uriRepresentation().absoluteString)?.name
    }
}

extension SyncChange {
    var isEmpty: Bool { fields.isEmpty && members.isEmpty && counters.isEmpty && places.isEmpty }
}
