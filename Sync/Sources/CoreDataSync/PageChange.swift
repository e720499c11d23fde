// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes the app's objects to the states of a pull; saves nothing.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// New objects are made first, then values are set, then links, then objects are deleted: a delete rule then acts on
/// the links that the server has.
struct PageChange {
    let engine: SyncEngine
    let context: NSManagedObjectContext
    let names: NameTable
    let states: [UUID: SyncRecordState]
    let isWhole: Bool
    let removals: [UUID]
    /// Names that have no object from now on.
    private(set) var forgotten: [UUID] = []
    private var objects: [UUID: NSManagedObject] = [:]
    /// The records of `present` that have objects, in the same order.
    private var items: [Item] = []
    /// The names of `objects`; made when they are needed for an order.
    private var namesOfObjects: [ObjectIdentifier: UUID]?
    private var doomed: [NSManagedObject] = []
    /// Those of `doomed` that others may have: no delete rule shall act on their destinations.
    private var left: [NSManagedObject] = []
    private var new: [NSManagedObject] = []
    /// The states of records that are there, in the order of their names.
    private let present: [SyncRecordState]
    /// The objects of names that were read together.
    private var read: [UUID: NSManagedObject] = [:]

    /// A record and its object.
    private final class Item {
        let state: SyncRecordState
        let entity: SyncEntity
        let object: NSManagedObject
        /// Whether the object is a new one of a class without code of the app: it has no links, no members, and no
        /// values without defaults.
        let isPlain: Bool
        /// How many of the state's values are of properties that the device's model has.
        var known = 0

        init(_ state: SyncRecordState, _ entity: SyncEntity, _ object: NSManagedObject, isPlain: Bool) {
            self.state = state
            self.entity = entity
            self.object = object
            self.isPlain = isPlain
        }

        /// Whether the page changes a relationship of the object.
        func isChanged(_ key: String) -> Bool { object.isInserted || object.changedValues()[key] != nil }
    }

    init(
        engine: SyncEngine, context: NSManagedObjectContext, names: NameTable, states: [UUID: SyncRecordState],
        isWhole: Bool, removals: [UUID]
    ) {
        self.engine = engine
        self.context = context
        self.names = names
        self.states = states
        self.isWhole = isWhole
        self.removals = removals
        present = states.values.filter { $0.state == .present }.sorted { $0.name.precedes($1.name) }
    }

    mutating func make() throws {
        let targets = present.flatMap { state in
            state.members.values.flatMap { $0 }
                + state.values.values.compactMap { if case .link(let name) = $0 { name } else { nil } }
        }
        try names.load(names: Array(states.keys) + removals + targets)
        read = try engine.objects(of: Array(states.keys) + targets, names, context)
        let absent = states.values.filter { $0.state != .present }
        for state in absent.sorted(by: { $0.name.precedes($1.name) }) {
            switch state.state {
            case .present: continue
            case .deleted: try doom(state.name)
            case .left: try doom(state.name, hasLeft: true)
            case .merged: try rename(state.name, state.into)
            }
        }
        for name in removals where states[name]?.state != .present { try doom(name) }
        if isWhole {
            for row in try names.all() where states[row.name] == nil && objects[row.name] == nil {
                try doom(row.name, hasLeft: true)
            }
        }
        objects.reserveCapacity(present.count)
        items.reserveCapacity(present.count)
        for state in present {
            guard let entity = engine.model.entities[state.entity] else { continue }
            try find(state, entity)
        }
        for item in items { try setAttributes(item) }
        for item in items { try setRelationships(item) }
        for item in items { arrange(item) }
        try arrangeDestinations()
        for object in left { unlink(object) }
        for object in doomed { context.delete(object) }
        context.processPendingChanges()
    }

    /// The names, ids and to-many relationships of the objects of present records.
    func named() throws -> [Journal.Named] {
        try context.obtainPermanentIDs(for: new)
        return try items.map { item in
            Journal.Named(
                name: item.state.name, object: item.object.objectID.uriRepresentation().absoluteString,
                known: try known(item))
        }
    }

    /// Empty members and counters of 0 are left out, because a missing entry means the same.
    private func known(_ item: Item) throws -> KnownState {
        let (state, entity) = (item.state, item.entity)
        var known = KnownState()
        for (key, members) in state.members where !members.isEmpty { known.members[key] = members }
        for (key, places) in state.orders where !places.isEmpty { known.orders[key] = places }
        known.outside = state.outside
        if item.known < state.values.count {
            let unknown = try state.values.filter { entity.counters[$0.key] == nil && !entity.isKept($0.key) }
                .mapValues(engine.incoming)
            known.unknown = unknown.isEmpty ? nil : unknown
        }
        for key in entity.counters.keys {
            if case .integer(let value)? = state.values[key], value != 0 { known.counters[key] = value }
        }
        return known
    }

    // MARK: Objects

    private func existing(_ name: UUID) throws -> NSManagedObject? {
        if let object = read[name] { return object }
        return try names.row(name: name).flatMap { try engine.object($0, context) }
    }

    private mutating func doom(_ name: UUID, hasLeft: Bool = false) throws {
        // Also one that only waits for a part of a first pull.
        forgotten.append(name)
        guard try names.row(name: name) != nil else { return }
        guard let object = try existing(name) else { return }
        doomed.append(object)
        if hasLeft { left.append(object) }
    }

    /// A record that leaves is no deletion: its destinations stay, and Deny does not hold it.
    private func unlink(_ object: NSManagedObject) {
        for (key, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
            if relationship.isToMany {
                object.setSyncMembers([], relationship)
            } else {
                object.setSyncLink(nil, key)
            }
        }
    }

    /// The object takes the older name, unless another object has it already or no record has it any more.
    private mutating func rename(_ name: UUID, _ into: UUID?) throws {
        guard let object = try existing(name) else { return try doom(name) }
        guard let into, states[into]?.state == .present, objects[into] == nil, try existing(into) == nil else {
            return try doom(name)
        }
        forgotten.append(name)
        objects[into] = object
    }

    private mutating func find(_ state: SyncRecordState, _ entity: SyncEntity) throws {
        if let object = try objects[state.name] ?? existing(state.name) ?? twin(of: state, entity) {
            objects[state.name] = object
            items.append(Item(state, entity, object, isPlain: false))
            return
        }
        let object = NSEntityDescription.insertNewObject(forEntityName: state.entity, into: context)
        objects[state.name] = object
        new.append(object)
        items.append(Item(state, entity, object, isPlain: type(of: object) == NSManagedObject.self))
    }

    /// An object without a record that has a record's unique values: one of a store that was migrated by objects.
    private mutating func twin(of state: SyncRecordState, _ entity: SyncEntity) throws -> NSManagedObject? {
        guard !left.isEmpty else { return nil }
        for constraint in entity.constraints {
            let values = try constraint.compactMap { key in
                try entity.attributes[key].flatMap {
                    try SyncValueCoding.decode(engine.incoming(state.values[key] ?? .null), $0)
                }
            }
            guard values.count == constraint.count, !values.isEmpty else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: state.entity)
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: zip(constraint, values).map { key, value in
                    NSComparisonPredicate(
                        leftExpression: NSExpression(forKeyPath: key),
                        rightExpression: NSExpression(forConstantValue: value), modifier: .direct, type: .equalTo)
                })
            guard let object = try context.fetch(request).first(where: left.contains) else { continue }
            doomed.removeAll { $0 === object }
            left.removeAll { $0 === object }
            return object
        }
        return nil
    }

    // MARK: Values

    private func setAttributes(_ item: Item) throws {
        for (key, attribute) in item.entity.values {
            guard let value = item.state.values[key] else { continue }
            item.known += 1
            if item.isPlain, value.isNull, attribute.defaultValue == nil { continue }
            // (L5) Another property of the record changed.
            if case .large(let large) = value, try item.object.holds(large, attribute) { continue }
            try item.object.setSync(engine.incoming(value), attribute)
        }
    }

    private func target(_ name: UUID) throws -> NSManagedObject? {
        if let object = objects[name] { return object }
        guard states[name] == nil, let object = try existing(name), !doomed.contains(object) else { return nil }
        return object
    }

    private func setRelationships(_ item: Item) throws {
        let (state, entity, object) = (item.state, item.entity, item.object)
        for key in entity.linkKeys {
            guard let value = state.values[key] else { continue }
            item.known += 1
            if case .link(let name) = value {
                object.setSyncLink(try target(name), key)
            } else if !item.isPlain {
                object.setSyncLink(nil, key)
            }
        }
        for key in entity.memberKeys {
            guard let members = state.members[key], let relationship = entity.members[key],
                !relationship.isOrdered || state.orders[key] != nil
            else { continue }
            if item.isPlain, members.isEmpty { continue }
            var found: [NSManagedObject] = []
            for name in members { if let member = try target(name) { found.append(member) } }
            if relationship.isOrdered, Set(found) == Set(object.syncMembers(key)) { continue }
            object.setSyncMembers(found, relationship)
        }
    }

    /// Puts members into the order of their keys.
    private mutating func arrange(_ item: Item) {
        if item.entity.orders.isEmpty { return }
        for (key, places) in item.state.orders.sorted(by: { $0.key < $1.key }) {
            guard let relationship = item.entity.orders[key] else { continue }
            if places.isEmpty, item.isPlain { continue }
            arrange(item.object, relationship, places)
        }
    }

    private mutating func arrange(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ places: [String: String]
    ) {
        var sorted: [(String, String, NSManagedObject)] = []
        for member in object.syncMembers(relationship.name) {
            let name = self.name(of: member)?.text ?? "~"
            sorted.append((places[name] ?? "~", name, member))
        }
        sorted.sort { ($0.0, $0.1) < ($1.0, $1.1) }
        object.setSyncMembers(sorted.map(\.2), relationship)
    }

    /// Puts new members of objects of earlier pages into the order of the keys that came with these: a member whose
    /// deletion or move did not count on the server comes back without its owner.
    private mutating func arrangeDestinations() throws {
        var destinations: [UUID: Set<NSRelationshipDescription>] = [:]
        let inverses = engine.model.entities.mapValues { entity in
            entity.links.merging(entity.members) { link, _ in link }
                .compactMapValues { $0.inverseRelationship.flatMap { $0.isOrdered ? $0 : nil } }
        }
        for item in items {
            for (key, inverse) in inverses[item.entity.name] ?? [:] where item.isChanged(key) {
                if case .link(let name)? = item.state.values[key], states[name] == nil {
                    destinations[name, default: []].insert(inverse)
                }
                for name in item.state.members[key] ?? [] where states[name] == nil {
                    destinations[name, default: []].insert(inverse)
                }
            }
        }
        for (name, relationships) in destinations.sorted(by: { $0.key.precedes($1.key) }) {
            guard let known = try names.row(name: name)?.known, let object = try target(name) else { continue }
            for relationship in relationships {
                guard let places = known.orders[relationship.name] else { continue }
                arrange(object, relationship, places)
            }
        }
    }

    private mutating func name(of object: NSManagedObject) -> UUID? {
        let known =
            namesOfObjects ?? Dictionary(objects.map { (ObjectIdentifier($0.value), $0.key) }) { first, _ in first }
        namesOfObjects = known
        if let name = known[ObjectIdentifier(object)] { return name }
        return (try? names.row(uri: object.objectID.uriRepresentation().absoluteString))??.name
    }
}
