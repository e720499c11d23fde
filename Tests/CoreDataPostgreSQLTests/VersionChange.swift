// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Changes of a model, and the rows and links that are written before the migration.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Two versions of a model of people, teams, tags and notes.
struct VersionChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Changes the model of both versions.
    var before: @Sendable (NSManagedObjectModel) -> Void = { _ in }
    /// Makes the second version of the first one.
    let change: @Sendable (NSManagedObjectModel) -> Void

    var old: NSManagedObjectModel {
        let model = Self.base()
        before(model)
        return model
    }

    var new: NSManagedObjectModel {
        let model = old
        change(model)
        return model
    }

    init(
        _ name: String, before: @escaping @Sendable (NSManagedObjectModel) -> Void = { _ in },
        _ change: @escaping @Sendable (NSManagedObjectModel) -> Void
    ) {
        (testDescription, self.before, self.change) = (name, before, change)
    }

    private static func base() -> NSManagedObjectModel {
        let (person, manager) = (NSEntityDescription("Person"), NSEntityDescription("Manager"))
        let (team, tag, note) = (NSEntityDescription("Team"), NSEntityDescription("Tag"), NSEntityDescription("Note"))
        for entity in [person, team, tag, note] { entity.attribute("name", .stringAttributeType, optional: false) }
        person.subentities = [manager]
        person.attribute("age", .integer16AttributeType)
        person.attribute("nickName", .stringAttributeType)
        person.attribute("pay", .decimalAttributeType)
        person.attribute("whole", .doubleAttributeType)
        person.attribute("share", .doubleAttributeType)
        person.composite("address", ["city": .stringAttributeType, "zip": .integer32AttributeType])
        manager.attribute("level", .integer32AttributeType)
        person.relate("team", .one, to: team, inverse: "members", .many)
        manager.relate("led", .one, to: team, inverse: "leader", .one)
        person.relate("tags", .many, to: tag, inverse: "people", .many)
        team.relate("notes", .ordered, to: note, inverse: "team", .one)
        return NSManagedObjectModel(person, manager, team, tag, note)
    }

    static func attribute(_ name: String, in entity: String, _ model: NSManagedObjectModel) -> NSAttributeDescription? {
        model.entitiesByName[entity]?.attributesByName[name]
    }

    private static func rename(_ entity: String, _ new: String, _ model: NSManagedObjectModel) {
        let description = model.entitiesByName[entity]
        description?.renamingIdentifier = entity
        description?.name = new
    }

    private static func rename(_ property: String, of entity: String, _ new: String, _ model: NSManagedObjectModel) {
        let description = model.entitiesByName[entity]?.propertiesByName[property]
        description?.renamingIdentifier = property
        description?.name = new
    }

    private static func remove(_ entity: String, _ model: NSManagedObjectModel) {
        for other in model.entities {
            other.properties.removeAll { ($0 as? NSRelationshipDescription)?.destinationEntity?.name == entity }
            other.subentities.removeAll { $0.name == entity }
        }
        model.entities.removeAll { $0.name == entity }
    }

    static let all: [VersionChange] = [
        VersionChange("attributes come, with and without a default") { model in
            let note = model.entitiesByName["Note"]
            note?.attribute("empty", .stringAttributeType)
            note?.attribute("text", .stringAttributeType, optional: false, default: "it's \\ new")
            note?.attribute("short", .integer16AttributeType, optional: false, default: -3)
            note?.attribute("flag", .booleanAttributeType, optional: false, default: true)
            note?.attribute("real", .doubleAttributeType, optional: false, default: 0.1)
            note?.attribute("exact", .decimalAttributeType, default: NSDecimalNumber(string: "12.50"))
            note?.attribute("at", .dateAttributeType, default: Date(timeIntervalSinceReferenceDate: -1e9 + 0.25))
            note?.attribute(
                "id", .UUIDAttributeType, default: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7)))
            note?.attribute("data", .binaryDataAttributeType, default: Data([0, 39, 255]))
        },
        VersionChange("attributes go") { model in
            for (name, entity) in [("age", "Person"), ("address", "Person"), ("level", "Manager")] {
                model.entitiesByName[entity]?.properties.removeAll { $0.name == name }
            }
        },
        VersionChange("entities, attributes and relationships get other names") { model in
            rename("nickName", of: "Person", "alias", model)
            rename("team", of: "Person", "crew", model)
            rename("tags", of: "Person", "labels", model)
            for (old, new) in [("Person", "Human"), ("Manager", "Boss"), ("Tag", "Label")] { rename(old, new, model) }
        },
        VersionChange("two attributes and two entities trade their names") { model in
            rename("name", of: "Person", "x", model)
            rename("nickName", of: "Person", "name", model)
            model.entitiesByName["Person"]?.propertiesByName["x"]?.name = "nickName"
            rename("Tag", "x", model)
            rename("Note", "Tag", model)
            model.entitiesByName["x"]?.name = "Note"
        },
        VersionChange("an optional attribute becomes mandatory, with a default") { model in
            let attribute = attribute("nickName", in: "Person", model)
            attribute?.isOptional = false
            attribute?.defaultValue = "none"
        },
        VersionChange("numbers get other types") { model in
            attribute("age", in: "Person", model)?.attributeType = .integer64AttributeType
            attribute("level", in: "Manager", model)?.attributeType = .doubleAttributeType
            attribute("pay", in: "Person", model)?.attributeType = .doubleAttributeType
            attribute("whole", in: "Person", model)?.attributeType = .integer32AttributeType
        },
        VersionChange("floating-point numbers become decimals") { model in
            attribute("share", in: "Person", model)?.attributeType = .decimalAttributeType
        },
        VersionChange("an entity goes, with links to it") { model in remove("Team", model) },
        VersionChange("a subentity goes") { model in remove("Manager", model) },
        VersionChange("an entity comes, with links to it") { model in
            let place = NSEntityDescription("Place")
            place.attribute("name", .stringAttributeType)
            model.entitiesByName["Team"]?.relate("places", .many, to: place, inverse: "teams", .many)
            model.entitiesByName["Note"]?.relate("place", .one, to: place, inverse: "notes", .ordered)
            model.entities.append(place)
        },
        VersionChange("an entity gets its first subentity") { model in
            let memo = NSEntityDescription("Memo")
            memo.attribute("memo", .stringAttributeType)
            model.entitiesByName["Note"]?.subentities = [memo]
            model.entities.append(memo)
        },
        VersionChange("an entity gets a new parent") { model in
            let thing = NSEntityDescription("Thing", abstract: true)
            thing.attribute("weight", .doubleAttributeType, optional: false, default: 1.5)
            if let tag = model.entitiesByName["Tag"] { thing.subentities = [tag] }
            model.entities.append(thing)
        },
        VersionChange("a subentity becomes a root of its own") { model in
            let (person, manager) = (model.entitiesByName["Person"], model.entitiesByName["Manager"])
            person?.subentities = []
            manager?.attribute("name", .stringAttributeType, optional: false)
            manager?.attribute("pay", .decimalAttributeType)
        },
        VersionChange("indexes and uniqueness constraints come") { model in
            let person = model.entitiesByName["Person"]
            person?.uniquenessConstraints = [["name"]]
            model.entitiesByName["Manager"]?.uniquenessConstraints = [["name"], ["level"]]
            model.entitiesByName["Team"]?.uniquenessConstraints = [["name"]]
            if let age = attribute("age", in: "Person", model) {
                let element = NSFetchIndexElementDescription(property: age, collationType: .binary)
                person?.indexes = [NSFetchIndexDescription(name: "byAge", elements: [element])]
            }
        },
        VersionChange(
            "indexes and uniqueness constraints go",
            before: { $0.entitiesByName["Person"]?.uniquenessConstraints = [["name"]] },
            { $0.entitiesByName["Person"]?.uniquenessConstraints = [] }),
        VersionChange("derived attributes come") { model in
            model.entitiesByName["Team"]?.derived("size", .integer64AttributeType, "members.@count")
            model.entitiesByName["Team"]?.derived("years", .integer64AttributeType, "members.age.@sum")
            model.entitiesByName["Person"]?.derived("loud", .stringAttributeType, "uppercase:(name)")
            model.entitiesByName["Tag"]?.derived("uses", .integer64AttributeType, "people.@count")
        },
        VersionChange(
            "Booleans become integers",
            before: { model in
                for name in ["small", "middle", "large"] {
                    model.entitiesByName["Note"]?.attribute(name, .booleanAttributeType)
                }
            },
            { model in
                attribute("small", in: "Note", model)?.attributeType = .integer16AttributeType
                attribute("middle", in: "Note", model)?.attributeType = .integer32AttributeType
                attribute("large", in: "Note", model)?.attributeType = .integer64AttributeType
            }),
        VersionChange("a relationship leads to an unrelated entity") { model in
            model.entitiesByName["Person"]?.properties.removeAll { $0.name == "team" }
            model.entitiesByName["Team"]?.properties.removeAll { $0.name == "members" }
            guard let tag = model.entitiesByName["Tag"] else { return }
            model.entitiesByName["Person"]?.relate("team", .one, to: tag, inverse: "members", .many)
        },
        VersionChange("a relationship leads to a subentity alone") { model in
            model.entitiesByName["Person"]?.properties.removeAll { ["team", "tags"].contains($0.name) }
            model.entitiesByName["Team"]?.properties.removeAll { $0.name == "members" }
            model.entitiesByName["Tag"]?.properties.removeAll { $0.name == "people" }
            guard let team = model.entitiesByName["Team"], let tag = model.entitiesByName["Tag"] else { return }
            model.entitiesByName["Manager"]?.relate("team", .one, to: team, inverse: "members", .many)
            model.entitiesByName["Manager"]?.relate("tags", .many, to: tag, inverse: "people", .many)
        },
        VersionChange("much changes at once") { model in
            rename("nickName", of: "Person", "alias", model)
            rename("Person", "Human", model)
            attribute("age", in: "Human", model)?.attributeType = .decimalAttributeType
            model.entitiesByName["Human"]?.uniquenessConstraints = [["name"]]
            model.entitiesByName["Team"]?.relationshipsByName["notes"]?.isOrdered = false
            model.entitiesByName["Tag"]?.relationshipsByName["people"]?.isOrdered = true
            model.entitiesByName["Team"]?.relationshipsByName["members"]?.isOrdered = true
            model.entitiesByName["Team"]?.attribute("colour", .stringAttributeType, default: "red")
        },
    ]

    /// Each relationship of one shape becomes one of another shape, with or without an inverse.
    static let links: [VersionChange] = shapes.map { end, inverse, newEnd, newInverse in
        let name = { (count: RelationshipCount?) in count.map { "\($0)" } ?? "none" }
        return VersionChange(
            "\(name(end))/\(name(inverse)) becomes \(name(newEnd))/\(name(newInverse))",
            before: { link($0, end, inverse) }, { link($0, newEnd, newInverse) })
    }

    private static func link(_ model: NSManagedObjectModel, _ end: RelationshipCount, _ inverse: RelationshipCount?) {
        guard let one = model.entitiesByName["Team"], let other = model.entitiesByName["Tag"] else { return }
        one.properties.removeAll { $0.name == "links" }
        other.properties.removeAll { $0.name == "linked" }
        if let inverse {
            one.relate("links", end, to: other, inverse: "linked", inverse)
        } else {
            one.relationship("links", end, to: other)
        }
    }

    private typealias Shape = (RelationshipCount, RelationshipCount?, RelationshipCount, RelationshipCount?)
    private static let shapes: [Shape] = [
        (.one, .many, .many, .many), (.one, .one, .many, .one), (.one, nil, .many, .one), (.one, nil, .one, .one),
        (.one, nil, .many, nil), (.one, nil, .ordered, .many), (.many, .one, .one, .one), (.ordered, .one, .one, .one),
        (.ordered, .one, .one, .many), (.many, .one, .many, .many), (.ordered, .one, .ordered, .many),
        (.ordered, .many, .one, .many), (.ordered, .many, .ordered, .one), (.many, .many, .ordered, .many),
        (.ordered, .many, .many, .many), (.many, .many, .many, .ordered), (.many, .one, .ordered, .one),
        (.ordered, .one, .many, .one), (.many, nil, .many, .one), (.many, nil, .ordered, .many),
        (.one, .many, .one, nil),
    ]

    // MARK: Contents

    private static let count = 5

    /// Writes objects of all entities, with values and links computed from their numbers.
    ///
    /// - Parameter first: the number of the first object of each entity.
    static func fill(
        _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, from first: Int = 0
    ) throws {
        var objects: [String: [NSManagedObject]] = [:]
        let entities = model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
        for entity in entities {
            let name = entity.name ?? ""
            for number in 0..<count {
                let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                for attribute in entity.attributesByName.values where !(attribute is NSDerivedAttributeDescription) {
                    if attribute.isOptional, number == 3 { continue }
                    object.setValue(value(attribute, name, first + number), forKey: attribute.name)
                }
                objects[name, default: []].append(object)
            }
            // Keys ascend in the order of the objects.
            try context.save()
        }
        for entity in entities {
            for relationship in entity.relationshipsByName.values.sorted(by: { $0.name < $1.name }) {
                let inverse = relationship.inverseRelationship
                guard relationship.isOrdered || !relationship.isToMany || inverse?.isToMany != false,
                    relationship.isOrdered || inverse?.isOrdered != true
                else { continue }
                let others = objects[relationship.destinationEntity?.name ?? ""] ?? []
                link(objects[entity.name ?? ""] ?? [], relationship, others)
            }
        }
        try context.save()
    }

    private static func link(
        _ ends: [NSManagedObject], _ relationship: NSRelationshipDescription, _ others: [NSManagedObject]
    ) {
        // Without an inverse the member stores the key of its owner, so it can have one owner only.
        let isExclusive = relationship.inverseRelationship.map { !$0.isToMany } ?? relationship.isToMany
        for (number, end) in ends.enumerated() where number != 3 && !others.isEmpty {
            let first = others[(number * 2 + 1) % others.count]
            let second = others[(number * 2) % others.count]
            if !relationship.isToMany {
                end.setValue(isExclusive ? others[(number + 1) % others.count] : first, forKey: relationship.name)
            } else if isExclusive {
                // Each of the others has one owner at most.
                let own = number == 0 ? [others[2], others[0]] : number == 1 ? [others[1]] : []
                end.setValue(relationship.isOrdered ? NSOrderedSet(array: own) : Set(own), forKey: relationship.name)
            } else {
                let own = [first, second]
                end.setValue(relationship.isOrdered ? NSOrderedSet(array: own) : Set(own), forKey: relationship.name)
            }
        }
    }

    private static func value(_ attribute: NSAttributeDescription, _ entity: String, _ number: Int) -> Any? {
        switch attribute.attributeType {
        case .stringAttributeType: "\(entity) \(attribute.name) \(number)"
        case .decimalAttributeType: NSDecimalNumber(string: "\(number).25")
        case .compositeAttributeType: ["city": "city \(number)", "zip": number]
        case .doubleAttributeType where attribute.name == "share": Double(number) / 10
        case .booleanAttributeType: number % 2 == 0
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(number) + 0.5)
        case .UUIDAttributeType: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
        case .binaryDataAttributeType: Data([UInt8(number)])
        default: number * 7
        }
    }

    /// Every object with its values and links, a line for each.
    static func contents(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> [String] {
        try model.entities.filter { !$0.isAbstract }.flatMap { entity -> [String] in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            return try context.fetch(request).map { object in
                let values = entity.attributesByName.keys.sorted().map { "\($0)=\(text(object.value(forKey: $0)))" }
                let links = entity.relationshipsByName.keys.sorted().map { "\($0)=\(text(object.value(forKey: $0)))" }
                return "\(entity.name ?? "") \((values + links).joined(separator: " "))"
            }
        }.sorted()
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let object as NSManagedObject: identity(object)
        case let list as NSOrderedSet:
            "\(list.array.map { ($0 as? NSManagedObject).map(identity) ?? "?" })"
        case let set as Set<NSManagedObject>: "\(set.map(identity).sorted())"
        case let values as [String: Any]: "\(values.map { "\($0): \($1)" }.sorted())"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        default: value.map { "\($0)" } ?? "nil"
        }
    }

    /// The entity and the key follow from the order of insertions, but not on all kinds of stores: names do.
    private static func identity(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "") \(object.value(forKey: "name") ?? "nil")"
    }
}
