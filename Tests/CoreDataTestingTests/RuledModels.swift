// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models with rules about values and numbers of members, given ones and random ones.

import CoreData
import CoreDataTestSupport

/// One entity with limits, lengths, patterns and lists of values.
enum RuledModel {
    /// - Parameters:
    ///   - rule: a rule about the mandatory attribute `extra`; nil for a model without it.
    ///   - names: a unique constraint besides that of `code`.
    static func make(rule: String? = nil, unique names: [String] = []) -> NSManagedObjectModel {
        let ruled = NSEntityDescription("Ruled")
        func add(_ name: String, _ type: NSAttributeType, _ rules: String...) {
            let attribute = ruled.attribute(name, type, optional: false)
            attribute.setValidationPredicates(
                rules.map { CoreData.NSPredicate(format: $0) }, withValidationWarnings: nil)
        }
        add("code", .stringAttributeType, "SELF MATCHES '[A-Z]{2}-\\\\d{4}(a|bc)?'")
        add("amount", .integer16AttributeType, "SELF >= 10", "SELF <= 12")
        add("big", .integer64AttributeType, "SELF > 1000000000000")
        add("price", .decimalAttributeType, "SELF >= 0.5", "SELF <= 0.75")
        add("ratio", .doubleAttributeType, "SELF BETWEEN {-0.5, -0.25}")
        add("short", .stringAttributeType, "length >= 1", "length <= 3")
        add("long", .stringAttributeType, "length >= 80 AND length <= 90")
        add("zip", .stringAttributeType, "length > 5")
        add("postcode", .stringAttributeType, "length < 3")
        add("sign", .stringAttributeType, "SELF MATCHES '[^a-z]{4}'")
        add("kind", .stringAttributeType, "SELF IN {'open', 'closed'}")
        add("day", .dateAttributeType, "SELF >= CAST(1000, 'NSDate')", "SELF <= CAST(2000, 'NSDate')")
        add("odd", .integer32AttributeType, "modulus:by:(SELF, 2) == 1")
        if let rule { add("extra", .stringAttributeType, rule) }
        ruled.uniquenessConstraints = [["code"]] + (names.isEmpty ? [] : [names])
        return NSManagedObjectModel(ruled)
    }
}

/// Models of some entities with attributes of each type and rules, inheritance, and relationships of each form. Each of
/// them has objects that keep its rules.
enum RandomModels {
    private static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
        .doubleAttributeType, .floatAttributeType, .stringAttributeType, .booleanAttributeType, .dateAttributeType,
        .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
    ]
    private static let names = ["name", "title", "email", "city", "latitude", "price", "age", "year", "text", "code"]

    static func make(_ seed: UInt64) -> NSManagedObjectModel {
        var numbers = SeededGenerator(seed: seed)
        let entities = (0..<Int.random(in: 2...5, using: &numbers)).map { NSEntityDescription("Entity\($0)") }
        for entity in entities { addAttributes(to: entity, &numbers) }
        for (index, entity) in entities.enumerated() where index > 1 && numbers.chance(0.4) {
            // A subentity of an earlier one; some of those are abstract.
            let parent = entities[Int.random(in: 0..<index, using: &numbers)]
            parent.subentities.append(entity)
            if numbers.chance(0.3) { parent.isAbstract = true }
        }
        for number in 0..<Int.random(in: 1...6, using: &numbers) { addRelationship(number, entities, &numbers) }
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private static func addAttributes(to entity: NSEntityDescription, _ numbers: inout SeededGenerator) {
        for number in 0..<Int.random(in: 1...5, using: &numbers) {
            let type = types[Int.random(in: 0..<types.count, using: &numbers)]
            // Inherited attributes must not have the names of others.
            let name = names[Int.random(in: 0..<names.count, using: &numbers)] + "\(number)Of" + (entity.name ?? "")
            let attribute = entity.attribute(name, type, optional: numbers.chance(0.4))
            let rules = rules(type, &numbers).map { CoreData.NSPredicate(format: $0) }
            attribute.setValidationPredicates(rules, withValidationWarnings: nil)
            let canBeUnique: [NSAttributeType] = [
                .stringAttributeType, .integer32AttributeType, .integer64AttributeType, .UUIDAttributeType,
                .URIAttributeType,
            ]
            if canBeUnique.contains(type), rules.isEmpty, numbers.chance(0.4) {
                entity.uniquenessConstraints += [[name]]
            }
        }
    }

    private static func rules(_ type: NSAttributeType, _ numbers: inout SeededGenerator) -> [String] {
        guard numbers.chance(0.5) else { return [] }
        let least = Int.random(in: -20...20, using: &numbers)
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return ["SELF >= \(least)", "SELF <= \(least + Int.random(in: 0...9, using: &numbers))"]
        case .decimalAttributeType, .doubleAttributeType, .floatAttributeType:
            return ["SELF >= \(least)", "SELF <= \(least + Int.random(in: 1...9, using: &numbers))"]
        case .stringAttributeType:
            let patterns = [
                "SELF MATCHES '[a-f]+@[a-f]{2,5}\\\\.org'", "length >= 30", "length <= 4",
                "SELF IN {'red', 'green'}", "SELF MATCHES '\\\\d{3}(-\\\\d{2})?'",
            ]
            return [patterns[Int.random(in: 0..<patterns.count, using: &numbers)]]
        case .dateAttributeType: return ["SELF >= CAST(\(least * 1000), 'NSDate')"]
        default: return []
        }
    }

    private static func addRelationship(
        _ number: Int, _ entities: [NSEntityDescription], _ numbers: inout SeededGenerator
    ) {
        let (source, destination) = (
            entities[Int.random(in: 0..<entities.count, using: &numbers)],
            entities[Int.random(in: 0..<entities.count, using: &numbers)]
        )
        let counts: [RelationshipCount] = [.one, .requiredOne, .many, .ordered]
        let there = counts[Int.random(in: 0..<4, using: &numbers)]
        // Two mandatory to-ones of one entity to itself, and of all entities to others, are possible, too.
        let back = counts[Int.random(in: 0..<4, using: &numbers)]
        // In a hierarchy, each object of an entity might need another object of a part of that entity.
        let isFlat = [source, destination].allSatisfy { $0.superentity == nil && $0.subentities.isEmpty }
        func free(_ count: RelationshipCount) -> RelationshipCount { count == .requiredOne && !isFlat ? .one : count }
        source.relate("to\(number)", free(there), to: destination, inverse: "from\(number)", free(back))
        guard isFlat else { return }
        for relationship in source.properties.compactMap({ $0 as? NSRelationshipDescription })
        where relationship.name == "to\(number)" && relationship.isToMany && numbers.chance(0.3) {
            // Two members that nobody else may have could need twice as many objects as there are, in a circle.
            relationship.minCount = back == .many || back == .ordered ? Int.random(in: 1...2, using: &numbers) : 1
            relationship.maxCount = relationship.minCount + Int.random(in: 0...2, using: &numbers)
            relationship.isOptional = numbers.chance(0.5)
        }
    }
}
