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
    /// Whether further records that lead to these ones are in other parts.
    let isPart: Bool
    let removals: [UUID]
    /// Names that have no object from now on.
    private(set) var forgotten: [UUID] = []
    private var objects: [UUID: NSManagedObject] = [:]
    /// The names of `objects`; made once all objects are found.
    private var namesOfObjects: [ObjectIdentifier: UUID] = [:]
    private var doomed: [NSManagedObject] = []
    /// Those of `doomed` that others may have: no delete rule shall act on their destinations.
    private var left: [NSManagedObject] = []
    /// New objects of classes without code of the app: they have no links, members and values without defaults.
    private var plain: Set<ObjectIdentifier> = []
    /// The states of records that are there, in the order of their names.
    private let present: [SyncRecordState]
    /// The objects of names that were read together.
    private var read: [UUID: NSManagedObject] = [:]

    init(
        engine: SyncEngine, context: NSManagedObjectContext, names: NameTable, states: [UUID: SyncRecordState],
        isWhole: Bool, isPart: Bool = false, removals: [UUID]
    ) {
        self.engine = engine
        self.context = context
        self.names = names
        self.states = states
        self.isWhole = isWhole
        self.isPart = isPart
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
        for state in states.values.sorted(by: { $0.name.precedes($1.name) }) {
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
        for state in present where engine.model.entities[state.entity] != nil { try find(state) }
        namesOfObjects = Dictionary(objects.map { (ObjectIdentifier($0.value), $0.key) }) { first, _ in first }
        for state in present { try setAttributes(state) }
        for state in present { try setRelationships(state) }
        for state in present { arrange(state) }
        if isPart { try arrangeDestinations() }
        for object in left { unlink(object) }
        for object in doomed { context.delete(object) }
        context.processPendingChanges()
    }

    /// The names, ids and to-many relationships of the objects of present records.
    func named() throws -> [Journal.Named] {
        try context.obtainPermanentIDs(for: Array(context.insertedObjects))
        return try present.compactMap { state in
            guard let object = objects[state.name], let entity = engine.model.entities[state.entity] else { return nil }
            var known = KnownState(members: state.members, orders: state.orders, outside: state.outside)
            let unknown = try state.values.filter { entity.counters[$0.key] == nil && !entity.isKept($0.key) }
                .mapValues(engine.incoming)
            known.unknown = unknown.isEmpty ? nil : unknown
            for key in entity.counters.keys {
                if case .integer(let value)? = state.values[key] { known.counters[key] = value }
            }
            return Journal.Named(
                name: state.name, object: object.objectID.uriRepresentation().absoluteString, known: known)
        }
    }

    // MARK: Objects

    private func existing(_ name: UUID) throws -> NSManagedObject? {
        if let object = read[name] { return object }
        return try names.row(name: name).flatMap { try engine.object($0, context) }
    }

    private mutating func doom(_ name: UUID, hasLeft: Bool = false) throws {
        guard try names.row(name: name) != nil else { return }
        forgotten.append(name)
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

    private mutating func find(_ state: SyncRecordState) throws {
        if objects[state.name] != nil { return }
        if let object = try existing(state.name) ?? twin(of: state) {
            objects[state.name] = object
            return
        }
        let object = NSEntityDescription.insertNewObject(forEntityName: state.entity, into: context)
        objects[state.name] = object
        if type(of: object) == NSManagedObject.self { plain.insert(ObjectIdentifier(object)) }
    }

    /// An object without a record that has a record's unique values: one of a store that was migrated by objects.
    private mutating func twin(of state: SyncRecordState) throws -> NSManagedObject? {
        guard !left.isEmpty, let entity = engine.model.entities[state.entity] else { return nil }
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

    private func setAttributes(_ state: SyncRecordState) throws {
        guard let object = objects[state.name], let entity = engine.model.entities[state.entity] else { return }
        let isPlain = plain.contains(ObjectIdentifier(object))
        for (key, value) in state.values.sorted(by: { $0.key < $1.key }) {
            guard let attribute = entity.attributes[key] ?? entity.counters[key] else { continue }
            if isPlain, value == .null, attribute.defaultValue == nil { continue }
            // (L5) Another property of the record changed.
            if case .large(let large) = value, try object.holds(large, attribute) { continue }
            try object.setSync(engine.incoming(value), attribute)
        }
    }

    private func target(_ name: UUID) throws -> NSManagedObject? {
        if let object = objects[name] { return object }
        guard states[name] == nil, let object = try existing(name), !doomed.contains(object) else { return nil }
        return object
    }

    private mutating func setRelationships(_ state: SyncRecordState) throws {
        guard let object = objects[state.name], let entity = engine.model.entities[state.entity] else { return }
        let isPlain = plain.contains(ObjectIdentifier(object))
        for (key, value) in state.values.sorted(by: { $0.key < $1.key }) where entity.links[key] != nil {
            if isPlain, value == .null { continue }
            if case .link(let name) = value {
                object.setSyncLink(try target(name), key)
            } else {
                object.setSyncLink(nil, key)
            }
        }
        for (key, members) in state.members.sorted(by: { $0.key < $1.key }) {
            guard let relationship = entity.members[key], !relationship.isOrdered || state.orders[key] != nil else {
                continue
            }
            if isPlain, members.isEmpty { continue }
            var found: [NSManagedObject] = []
            for name in members { if let member = try target(name) { found.append(member) } }
            if relationship.isOrdered, Set(found) == Set(object.syncMembers(key)) { continue }
            object.setSyncMembers(found, relationship)
        }
    }

    /// Puts members into the order of their keys.
    private func arrange(_ state: SyncRecordState) {
        guard let object = objects[state.name], let entity = engine.model.entities[state.entity] else { return }
        for (key, places) in state.orders.sorted(by: { $0.key < $1.key }) {
            guard let relationship = entity.orders[key] else { continue }
            if places.isEmpty, plain.contains(ObjectIdentifier(object)) { continue }
            arrange(object, relationship, places)
        }
    }

    private func arrange(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ places: [String: String]
    ) {
        let sorted = object.syncMembers(relationship.name).map { member in
            let name = self.name(of: member)?.uuidString ?? "~"
            return (places[name] ?? "~", name, member)
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        object.setSyncMembers(sorted.map(\.2), relationship)
    }

    /// Puts new members of objects of earlier parts into the order of the keys that came with these.
    private func arrangeDestinations() throws {
        var destinations: [UUID: Set<NSRelationshipDescription>] = [:]
        for state in present {
            guard let entity = engine.model.entities[state.entity] else { continue }
            for (key, value) in state.values {
                guard case .link(let name) = value, states[name] == nil,
                    let inverse = entity.links[key]?.inverseRelationship, inverse.isOrdered
                else { continue }
                destinations[name, default: []].insert(inverse)
            }
            for (key, members) in state.members {
                guard let inverse = entity.members[key]?.inverseRelationship, inverse.isOrdered else { continue }
                for name in members where states[name] == nil { destinations[name, default: []].insert(inverse) }
            }
        }
        for (name, relationships) in destinations {
            guard let known = try names.row(name: name)?.known, let object = try target(name) else { continue }
            for relationship in relationships {
                arrange(object, relationship, known.orders[relationship.name] ?? [:])
            }
        }
    }

    private func name(of object: NSManagedObject) -> UUID? {
        if let name = namesOfObjects[ObjectIdentifier(object)] { return name }
        return (try? names.row(uri: object.objectID.uriRepresentation().absoluteString))??.name
    }
}
