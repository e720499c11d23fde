// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for random work: relationships of every kind, with every delete rule.

import CoreData
import CoreDataTestSupport
import Foundation

/// One relationship, seen from one end.
struct Link: Sendable {
    let entity: String
    let name: String
    let count: RelationshipCount
    let rule: NSDeleteRule
    let destination: String
    let inverse: String

    var isToMany: Bool { count == .many || count == .ordered }
    var isOrdered: Bool { count == .ordered }
}

/// Items related to one another in every way, in boxes that can be deleted only when empty, with labels in order. A
/// special item is an item.
///
/// Every object has a unique name, a number of at most 100, a text and a mood, which is transient.
enum World {
    static let links: [Link] = [
        Link("Item", "twin", .one, .nullifyDeleteRule, "Item", "twin"),
        Link("Item", "next", .one, .nullifyDeleteRule, "Item", "previous"),
        Link("Item", "previous", .one, .nullifyDeleteRule, "Item", "next"),
        Link("Item", "parent", .one, .nullifyDeleteRule, "Item", "children"),
        Link("Item", "children", .ordered, .cascadeDeleteRule, "Item", "parent"),
        Link("Item", "neighbours", .many, .nullifyDeleteRule, "Item", "neighbours"),
        Link("Item", "source", .one, .nullifyDeleteRule, "Item", "quotes"),
        Link("Item", "quotes", .many, .noActionDeleteRule, "Item", "source"),
        Link("Item", "box", .one, .nullifyDeleteRule, "Box", "items"),
        Link("Box", "items", .many, .denyDeleteRule, "Item", "box"),
        Link("Item", "labels", .ordered, .nullifyDeleteRule, "Label", "items"),
        Link("Label", "items", .many, .nullifyDeleteRule, "Item", "labels"),
    ]

    static let entities = ["Item", "Special", "Box", "Label"]
    /// The entities without a superentity.
    static let roots = ["Item", "Box", "Label"]

    static func root(_ entity: String) -> String { entity == "Special" ? "Item" : entity }

    static func links(of entity: String) -> [Link] { linksByEntity[root(entity)] ?? [] }

    static func link(_ entity: String, _ name: String) -> Link {
        guard let link = links(of: entity).first(where: { $0.name == name }) else {
            preconditionFailure("\(entity) has no relationship \(name)")
        }
        return link
    }

    static func attributes(of entity: String) -> [String] {
        entity == "Special" ? ["name", "number", "text", "mood", "rank"] : ["name", "number", "text", "mood"]
    }

    static let defaults: [String: Value] = ["number": .number(1), "text": .text("plain")]
    static let greatestNumber = 100

    private static let linksByEntity = Dictionary(grouping: links, by: \.entity)

    /// One for all runs, as in a program: it is never changed.
    static let model = makeModel()

    private static func makeModel() -> NSManagedObjectModel {
        let item = NSEntityDescription("Item")
        let special = NSEntityDescription("Special")
        let box = NSEntityDescription("Box")
        let label = NSEntityDescription("Label")
        for entity in [item, box, label] {
            entity.attribute("name", .stringAttributeType)
            let number = entity.attribute("number", .integer64AttributeType, default: 1)
            number.setValidationPredicates(
                [NSPredicate(format: "SELF <= \(greatestNumber)")], withValidationWarnings: ["too great"])
            entity.attribute("text", .stringAttributeType, default: "plain")
            entity.attribute("mood", .stringAttributeType, transient: true)
        }
        special.attribute("rank", .integer32AttributeType)
        item.subentities = [special]
        let entities = ["Item": item, "Box": box, "Label": label]
        var done: Set<String> = []
        for link in links where !done.contains("\(link.entity).\(link.name)") {
            guard let entity = entities[link.entity], let other = entities[link.destination] else { continue }
            let back = self.link(link.destination, link.inverse)
            entity.relate(
                link.name, link.count, link.rule, to: other, inverse: back.name, back.count, back.rule)
            done.formUnion(["\(link.entity).\(link.name)", "\(back.entity).\(back.name)"])
        }
        return NSManagedObjectModel(item, special, box, label)
    }
}

extension Link {
    fileprivate init(
        _ entity: String, _ name: String, _ count: RelationshipCount, _ rule: NSDeleteRule, _ destination: String,
        _ inverse: String
    ) {
        self.init(
            entity: entity, name: name, count: count, rule: rule, destination: destination, inverse: inverse)
    }
}
