// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Does random work on any model, keeps every state as text, and goes back and forth among them.

import CoreData
import CoreDataTestSupport
import Foundation

/// Deterministic for a seed. Objects are named by their first text attribute, which never changes.
final class UndoWork {
    let stack: Stack
    /// The steps, for the message of a test that fails.
    private(set) var history: [String] = []
    /// The state before the first step, and after each.
    private var states: [Picture] = []
    private var position = 0
    private var saved: Picture
    private var random: SeededGenerator
    private var made = 0
    /// Whether objects are released and read again in between; transient values do not survive that.
    private let refreshes: Bool
    /// Entities whose objects are never deleted: one-way relationships to them would dangle.
    private let lasting: Set<String>

    typealias Picture = [String: String]

    private var context: NSManagedObjectContext { stack.context }

    init(_ kind: StoreKind, _ model: NSManagedObjectModel, seed: UInt64) throws {
        stack = try Stack(kind, model)
        random = SeededGenerator(seed: seed)
        refreshes = seed % 3 != 0
        let oneWay = model.entities.flatMap { $0.relationshipsByName.values }.filter { $0.inverseRelationship == nil }
        lasting = Set(oneWay.compactMap { $0.destinationEntity?.name })
        saved = [:]
        for entity in entities { for _ in 0..<3 { insert(entity) } }
        for _ in 0..<12 { change(try objects()) }
        try save()
        stack.context.retainsRegisteredObjects = !refreshes
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        states = [try picture(context)]
    }

    private var entities: [NSEntityDescription] {
        stack.model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    // MARK: Working

    /// One group of changes, in one event or several; discards the redo stack.
    func step() throws {
        try disturb()
        let objects = try objects()
        context.undoManager?.beginUndoGrouping()
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            change(objects.filter { !$0.isDeleted && $0.managedObjectContext != nil })
            if chance(4) { context.processPendingChanges() }
        }
        if chance(2) { context.processPendingChanges() }
        context.undoManager?.endUndoGrouping()
        // Changes that cancel out are no step.
        guard context.undoManager?.undoCount != position else { return try check("nothing") }
        states.removeSubrange((position + 1)...)
        states.append(try picture(context))
        position += 1
        try check("step")
    }

    /// Goes to any of the states, one step after the other, and compares each on the way.
    func walk() throws {
        let goal = Int.random(in: 0..<states.count, using: &random)
        while position != goal {
            try disturb()
            if goal < position {
                context.undo()
                position -= 1
                try check("undo to \(position)")
            } else {
                context.redo()
                position += 1
                try check("redo to \(position)")
            }
        }
    }

    /// Does work that changes no state: saving, reading again, forgetting objects.
    private func disturb() throws {
        if chance(4) { try save() }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            guard refreshes else { return }
            note("refresh all")
            context.refreshAllObjects()
        case 2:
            guard refreshes else { return }
            for object in try objects() where !object.hasChanges && chance(2) {
                note("refresh \(name(object))")
                context.refresh(object, mergeChanges: false)
            }
        case 3:
            note("process")
            context.processPendingChanges()
        default: break
        }
    }

    private func save() throws {
        note("save")
        try context.save()
        saved = try picture(context)
        let stored = try picture(stack.newContext(), isStored: true)
        let mine = try picture(context, isStored: true)
        guard stored == mine else { throw Finding(work: self, text: "stored: \(differences(stored, mine))") }
    }

    private func change(_ objects: [NSManagedObject]) {
        guard let object = objects.randomElement(using: &random), !chance(7) else { return insert(nil) }
        if chance(6), objects.count > 8, !lasting.contains(object.entity.name ?? "") {
            note("delete \(name(object))")
            return context.delete(object)
        }
        let label = Self.label(of: object.entity)
        let names = object.entity.propertiesByName.keys.filter { $0 != label }.sorted()
        guard let name = names.randomElement(using: &random), let property = object.entity.propertiesByName[name] else {
            return
        }
        if let relationship = property as? NSRelationshipDescription {
            relate(object, relationship, objects)
        } else if let attribute = property as? NSAttributeDescription {
            let value = value(attribute)
            note("\(self.name(object)).\(name) = \(Self.text(value))")
            object.setValue(value, forKey: name)
        }
    }

    private func insert(_ entity: NSEntityDescription?) {
        guard let entity = entity ?? entities.randomElement(using: &random), let label = Self.label(of: entity) else {
            return
        }
        made += 1
        note("insert \(entity.name ?? "") \(made)")
        NSManagedObject(entity: entity, insertInto: context).setValue("\(entity.name ?? "") \(made)", forKey: label)
    }

    private func relate(
        _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) {
        let name = relationship.name
        var others = objects.filter { other in relationship.destinationEntity.map(other.entity.isKindOf) ?? false }
        if relationship.isToMany, relationship.inverseRelationship == nil {
            // Its rows store the owner, so a member has one owner even without an inverse.
            let taken = objects.filter { $0 !== object && $0.entity == object.entity }
                .flatMap { Self.destinations($0, name) }
            others.removeAll(where: taken.contains)
        }
        let other = others.randomElement(using: &random)
        guard relationship.isToMany else {
            let value = chance(4) ? nil : other
            note("\(self.name(object)).\(name) = \(value.map(self.name) ?? "nil")")
            return object.setValue(value, forKey: name)
        }
        let isOrdered = relationship.isOrdered
        let members = isOrdered ? object.mutableOrderedSetValue(forKey: name) : nil
        let choice = Int.random(in: 0..<5, using: &random)
        note("\(self.name(object)).\(name) \(choice) \(other.map(self.name) ?? "")")
        switch choice {
        case 0, 1:
            guard let other else { return }
            if let members {
                members.remove(other)
                members.insert(other, at: Int.random(in: 0...members.count, using: &random))
            } else {
                object.mutableSetValue(forKey: name).add(other)
            }
        case 2:
            guard let other else { return }
            if let members { members.remove(other) } else { object.mutableSetValue(forKey: name).remove(other) }
        case 3:
            let some = others.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
            object.setValue(isOrdered ? NSOrderedSet(array: Array(some)) : NSSet(array: Array(some)), forKey: name)
        default:
            guard let members else { return }
            object.setValue(NSOrderedSet(array: members.array.shuffled(using: &random)), forKey: name)
        }
    }

    private func value(_ attribute: NSAttributeDescription) -> Any? {
        let number = Int.random(in: 0..<6, using: &random)
        if attribute.isOptional, number == 0 { return nil }
        switch attribute.attributeType {
        case .stringAttributeType: return "text \(number)"
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: return number
        case .booleanAttributeType: return number % 2 == 0
        case .floatAttributeType, .doubleAttributeType: return Double(number) / 2
        case .decimalAttributeType: return NSDecimalNumber(value: number)
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number))
        case .binaryDataAttributeType: return Data(repeating: UInt8(number), count: number > 3 ? 120_000 : 5)
        case .UUIDAttributeType: return UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)")
        case .URIAttributeType: return URL(string: "https://example.org/\(number)")
        case .transformableAttributeType: return ["one", "\(number)"]
        default: return nil
        }
    }

    private func chance(_ outOf: Int) -> Bool { Int.random(in: 0..<outOf, using: &random) == 0 }

    private func note(_ text: String) { history.append(text) }

    // MARK: Looking

    /// Sorted by name: the same for each run.
    private func objects() throws -> [NSManagedObject] {
        try Self.objects(in: context, entities).sorted { name($0) < name($1) }
    }

    private static func objects(in context: NSManagedObjectContext, _ entities: [NSEntityDescription]) throws
        -> [NSManagedObject]
    {
        try entities.filter { $0.superentity == nil }.flatMap { entity in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
        }
    }

    private static func label(of entity: NSEntityDescription) -> String? {
        ["name", "title", "heading"].first { entity.attributesByName[$0] != nil }
    }

    private func name(_ object: NSManagedObject) -> String {
        Self.label(of: object.entity).flatMap { object.value(forKey: $0) as? String } ?? "?"
    }

    /// Every object with all its values.
    ///
    /// - Parameter isStored: leaves out values that no store keeps.
    private func picture(_ context: NSManagedObjectContext, isStored: Bool = false) throws -> Picture {
        var result: Picture = [:]
        for object in try Self.objects(in: context, entities) {
            let skipsTransient = isStored || refreshes
            let properties = object.entity.propertiesByName.values.filter { !skipsTransient || !$0.isTransient }
            let values = properties.sorted { $0.name < $1.name }.map { property in
                "\(property.name): \(text(object, property))"
            }
            result[name(object)] = values.joined(separator: ", ")
        }
        return result
    }

    private func text(_ object: NSManagedObject, _ property: NSPropertyDescription) -> String {
        let value = object.value(forKey: property.name)
        if let set = value as? NSOrderedSet { return "\(set.array.compactMap { ($0 as? NSManagedObject).map(name) })" }
        if let set = value as? NSSet {
            return "\(set.allObjects.compactMap { ($0 as? NSManagedObject).map(name) }.sorted())"
        }
        if let other = value as? NSManagedObject { return name(other) }
        return Self.text(value)
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "-"
        case let data as Data: "\(data.count) bytes of \(data.first ?? 0)"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let array as NSArray: array.componentsJoined(by: "+")
        case let value?: "\(value)"
        }
    }

    // MARK: Checking

    /// - Throws: a `Finding` if the state is not the kept one, or if the context lists wrong changes.
    private func check(_ text: String) throws {
        note(text)
        let now = try picture(context)
        guard now == states[position] else { throw Finding(work: self, text: differences(now, states[position])) }
        let findings = try untied() + untruths(now)
        guard findings.isEmpty else { throw Finding(work: self, text: findings.joined(separator: "; ")) }
    }

    /// Differences between the two ends of a relationship.
    private func untied() throws -> [String] {
        var result: [String] = []
        for object in try objects() {
            for relationship in object.entity.relationshipsByName.values {
                guard let inverse = relationship.inverseRelationship?.name else { continue }
                for other in Self.destinations(object, relationship.name) {
                    if other.managedObjectContext !== context || other.isDeleted {
                        result.append("\(name(object)).\(relationship.name) leads to what is gone")
                    } else if !Self.destinations(other, inverse).contains(object) {
                        result.append("\(name(object)).\(relationship.name) is not known to \(name(other))")
                    }
                }
            }
        }
        return result
    }

    private static func destinations(_ object: NSManagedObject, _ key: String) -> [NSManagedObject] {
        switch object.value(forKey: key) {
        case let set as NSOrderedSet: set.array as? [NSManagedObject] ?? []
        case let set as NSSet: set.allObjects as? [NSManagedObject] ?? []
        case let other as NSManagedObject: [other]
        default: []
        }
    }

    /// The errors in the context's lists of unsaved changes.
    private func untruths(_ now: Picture) -> [String] {
        var result: [String] = []
        let updated = context.updatedObjects
        for object in updated.union(context.insertedObjects) where object.managedObjectContext !== context {
            result.append("\(object) is listed and in no context")
        }
        for object in updated where object.isInserted || object.isDeleted { result.append("\(object) is listed twice") }
        let isDirty =
            !context.insertedObjects.isEmpty || !context.deletedObjects.isEmpty
            || updated.contains { refreshes ? $0.hasPersistentChangedValues : !$0.changedValues().isEmpty }
        if (now != saved) != isDirty {
            let changes = updated.flatMap { object in
                object.changedValues().keys.sorted().map { key in
                    "\(name(object)).\(key): "
                        + (object.entity.propertiesByName[key].map { text(object, $0) } ?? "")
                }
            }
            result.append("dirty \(isDirty) \(differences(now, saved)) \(changes.sorted())")
        }
        if isDirty, !context.hasChanges { result.append("hasChanges is false") }
        return result
    }

    private func differences(_ one: Picture, _ other: Picture) -> String {
        let names = Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
        return names.map { "\($0) is \(one[$0] ?? "gone") for \(other[$0] ?? "gone")" }.joined(separator: "; ")
    }

    /// A difference, and the way to reproduce it.
    struct Finding: Error, CustomStringConvertible {
        let description: String

        init(work: UndoWork, text: String) {
            description = "\(text)\n\(work.history.joined(separator: "\n"))"
        }
    }
}
