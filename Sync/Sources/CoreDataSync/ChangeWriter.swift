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
    /// Whether the sidecar may have names of objects that the transactions inserted: it captured them before.
    let isAgain: Bool
    let replica: UUID
    /// The clocks of the transactions, by index.
    let clocks: [UInt64]
    /// The numbers of the transactions, by index.
    let numbers: [Int64]
    /// Identify the transactions in their store, by index; objects that are older than the history have none.
    let marks: [String]
    /// The transactions that inserted objects, by the objects' names.
    private var inserters: [UUID: Int] = [:]
    /// The names of the changed objects, without the way over their ids.
    private var nameByObject: [ObjectIdentifier: UUID] = [:]
    /// The origin of the changes of one transaction: mostly it is that of all changes.
    private var lastOrigin: (transaction: Int, origin: SyncOrigin)?

    init(
        engine: SyncEngine, context: NSManagedObjectContext, names: NameTable, isAgain: Bool, replica: UUID,
        clocks: [UInt64], numbers: [Int64], marks: [String]
    ) {
        self.engine = engine
        self.context = context
        self.names = names
        self.isAgain = isAgain
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

    /// A changed object that exists.
    private struct Living {
        let changed: Changed
        let object: NSManagedObject
        let entity: SyncEntity
        /// nil for an object without a name.
        let row: NameRow?
        /// The names that a new object may have, the best one first: the value of the unique UUID attribute, and the
        /// stable name.
        var own: UUID?
        var stable: UUID?
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
        try names.load(uris: sorted.filter { mayHaveName($0) }.map(\.uri))
        var result: [(change: SyncChange, index: Int)] = []
        result.reserveCapacity(sorted.count)
        for changed in sorted where changed.entry.kind == .delete {
            // An object without a name was inserted and deleted between two captures.
            guard let row = try names.row(uri: changed.uri) else { continue }
            let index = changed.entry.last
            let change = SyncChange(
                .delete, name: row.name, entity: changed.id.entity.name ?? "", group: 0, stamp: stamp(index))
            result.append((change, index))
            names.remove(row)
        }
        let living = sorted.filter { $0.entry.kind != .delete }
        // Held until their changes are written, so that they are found by their ids.
        let read = try engine.objects(living.map(\.id), context)
        let objects = try withExtendedLifetime(read) { try named(living) }
        try loadRelatives(of: objects)
        for named in objects {
            guard let change = try change(named, &fold) else { continue }
            result.append((change, named.entry.first))
        }
        for position in result.indices { result[position].change.group = fold.root(result[position].index) }
        // Indexes are sorted, because each move of a change would copy its dictionaries' references.
        return result.indices.sorted { result[$0].change.name.precedes(result[$1].change.name) }
            .map { result[$0].change }
    }

    // MARK: Names

    /// A transaction after the captured place inserted the object, and the sidecar has no name of such a transaction.
    private func mayHaveName(_ changed: Changed) -> Bool { isAgain || changed.entry.kind != .insert }

    /// The objects that exist, with names for new ones.
    private mutating func named(_ changes: [Changed]) throws -> [Named] {
        var living: [Living] = []
        living.reserveCapacity(changes.count)
        for changed in changes {
            // Others are faults at most: destinations of those that were read.
            guard let object = context.registeredObject(for: changed.id), !object.isFault,
                let entity = engine.model.entity(of: object)
            else { continue }
            let row = mayHaveName(changed) ? try names.row(uri: changed.uri) : nil
            var found = Living(changed: changed, object: object, entity: entity, row: row)
            if row == nil { setNewNames(&found) }
            living.append(found)
        }
        try names.load(names: living.compactMap(\.own))
        if isAgain { try names.load(names: living.compactMap(\.stable)) }
        names.reserve(living.count)
        nameByObject.reserveCapacity(living.count)
        var result: [Named] = []
        result.reserveCapacity(living.count)
        for found in living {
            let (object, entry) = (found.object, found.changed.entry)
            let name = try found.row?.name ?? newName(found)
            let row = found.row ?? names.insert(name, uri: found.changed.uri, number: numbers[entry.first])
            if found.row == nil { inserters[name] = entry.first }
            nameByObject[ObjectIdentifier(object)] = name
            result.append(
                Named(
                    object: object, entity: found.entity, entry: entry, row: row, name: name, isNew: found.row == nil))
        }
        return result
    }

    private func setNewNames(_ found: inout Living) {
        found.own = found.entity.nameAttribute.flatMap { found.object.value(forKey: $0) as? UUID }
        let entry = found.changed.entry
        if entry.kind == .insert, entry.first < marks.count, !engine.faults.contains(.namesAtRandom) {
            found.stable = engine.stableName.name(uri: found.changed.uri, mark: marks[entry.first])
        }
    }

    /// The best name that no other object has; a random one if all are taken.
    private func newName(_ found: Living) throws -> UUID {
        if let own = found.own, try names.row(name: own) == nil { return own }
        // The sidecar can have the stable name of a transaction only if it has captured that one before.
        if let stable = found.stable, try isAgain ? names.row(name: stable) == nil : !names.hasMet(stable) {
            return stable
        }
        return engine.environment.makeID()
    }

    /// Finds the names of the objects that changes name.
    private func loadRelatives(of objects: [Named]) throws {
        var uris: [String] = []
        func add(_ object: NSManagedObject) {
            if nameByObject[ObjectIdentifier(object)] == nil {
                uris.append(object.objectID.uriRepresentation().absoluteString)
            }
        }
        for named in objects {
            let (entity, entry) = (named.entity, named.entry)
            let isWhole = named.isNew || entry.isWhole
            for key in entity.linkKeys where isWhole || entry.properties[key] != nil {
                if let object = named.object.value(forKey: key) as? NSManagedObject { add(object) }
            }
            for key in entity.memberKeys where isWhole || entry.properties[key] != nil {
                named.object.syncMembers(key).forEach(add)
            }
        }
        try names.load(uris: uris)
    }

    private func name(of object: NSManagedObject) throws -> UUID? {
        if let name = nameByObject[ObjectIdentifier(object)] { return name }
        return try names.row(uri: object.objectID.uriRepresentation().absoluteString)?.name
    }

    // MARK: Values

    private mutating func change(_ named: Named, _ fold: inout HistoryFold) throws -> SyncChange? {
        let (object, entity, entry, row) = (named.object, named.entity, named.entry, named.row)
        let last = entry.last
        // An insertion with a name is captured again: the server may have the record, or not.
        let isCapturedAgain = entry.kind == .insert && !named.isNew
        var change = SyncChange(
            named.isNew || isCapturedAgain ? .insert : .update, name: named.name, entity: entity.name, group: 0,
            stamp: stamp(last))
        let isWhole = named.isNew || entry.isWhole
        func index(_ key: String) -> Int? { isWhole ? entry.properties[key] ?? last : entry.properties[key] }
        if isWhole { change.fields.reserveCapacity(entity.values.count + entity.linkKeys.count) }
        var known = named.isNew ? KnownState() : row.known
        if isCapturedAgain, entry.first < marks.count { known.counters = [:] }
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
            if difference != 0 || (named.isNew || isCapturedAgain) && present != nil {
                change.counters[key] = difference
            }
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
        if !change.counters.isEmpty { change.origin = origin(of: entry) }
        if !named.isNew || !known.isEmpty { row.known = known }
        return named.isNew || isCapturedAgain || !change.isEmpty ? change : nil
    }

    /// A record is only there together with the record that it leads to.
    private func join(_ target: UUID?, _ entry: HistoryFold.Entry, _ fold: inout HistoryFold) {
        guard let target, let inserter = inserters[target] else { return }
        fold.join(inserter, entry.first)
    }

    /// - Returns: nil for an object that is older than the history.
    private mutating func origin(of entry: HistoryFold.Entry) -> SyncOrigin? {
        if entry.later.isEmpty, let lastOrigin, lastOrigin.transaction == entry.first { return lastOrigin.origin }
        let indexes = entry.transactions.filter { $0 < marks.count }.suffix(32)
        if indexes.isEmpty { return nil }
        let origin = engine.stableName.origin(marks: indexes.map { marks[$0] })
        if entry.later.isEmpty { lastOrigin = (entry.first, origin) }
        return origin
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
}

extension SyncChange {
    var isEmpty: Bool { fields.isEmpty && members.isEmpty && counters.isEmpty && places.isEmpty }
}
