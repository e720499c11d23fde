// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for random merges: one entity, related to itself in every way.

import CoreData
import CoreDataTestSupport

/// A thing has a unique label, a note, and relationships of every kind that has an inverse.
enum LinkedThings {
    struct Link: Sendable {
        let name: String
        let inverse: String
        let count: RelationshipCount
        var rule: NSDeleteRule = .nullifyDeleteRule

        var isToMany: Bool { count != .one }
    }

    static let links = [
        Link(name: "twin", inverse: "twin", count: .one),
        Link(name: "next", inverse: "previous", count: .one),
        Link(name: "previous", inverse: "next", count: .one),
        Link(name: "parent", inverse: "children", count: .one),
        Link(name: "children", inverse: "parent", count: .many),
        Link(name: "box", inverse: "items", count: .one),
        Link(name: "items", inverse: "box", count: .ordered, rule: .cascadeDeleteRule),
        Link(name: "peers", inverse: "peers", count: .many),
        Link(name: "likes", inverse: "fans", count: .ordered),
        Link(name: "fans", inverse: "likes", count: .many),
    ]
    static let toOnes = links.filter { !$0.isToMany }.map(\.name)
    static let toManys = links.filter(\.isToMany).map(\.name)

    static func model() -> NSManagedObjectModel {
        let thing = NSEntityDescription("Thing", class: LinkedThing.self)
        thing.attribute("label", .stringAttributeType)
        thing.attribute("note", .stringAttributeType)
        let made = links.map { thing.relationship($0.name, $0.count, $0.rule, to: thing) }
        for (relationship, link) in zip(made, links) {
            relationship.inverseRelationship = made.first { $0.name == link.inverse }
        }
        return NSManagedObjectModel(thing)
    }

    /// Links that only one end has.
    static func halfLinks(of things: [LinkedThing]) -> [String] {
        let found = Set(things)
        return things.flatMap { thing in
            links.flatMap { link in
                thing.things(link.name).filter { other in
                    !found.contains(other) || !other.things(link.inverse).contains(thing)
                }.map { "\(link.name) of \(thing.label) is \($0.label), not the reverse" }
            }
        }
    }

    static func byLabel(in context: NSManagedObjectContext) throws -> [String: LinkedThing] {
        let things = try context.fetch(request())
        return Dictionary(uniqueKeysWithValues: things.map { ($0.label, $0) })
    }

    static func request() -> NSFetchRequest<LinkedThing> { NSFetchRequest(entityName: "Thing") }
}

final class LinkedThing: NSManagedObject {
    /// The destinations of a relationship, in order where it is ordered.
    func things(_ key: String) -> [LinkedThing] {
        switch value(forKey: key) {
        case let set as NSOrderedSet: set.array.compactMap { $0 as? LinkedThing }
        case let set as NSSet: set.allObjects.compactMap { $0 as? LinkedThing }
        case let object as LinkedThing: [object]
        default: []
        }
    }

    var label: String { value(forKey: "label") as? String ?? "?" }

    /// All values; links by the labels of their destinations.
    var text: String {
        let parts = LinkedThings.links.compactMap { link -> String? in
            let labels = things(link.name).map(\.label)
            if labels.isEmpty { return nil }
            return "\(link.name) \((link.count == .ordered ? labels : labels.sorted()).joined(separator: ","))"
        }
        return (["\(label) '\(value(forKey: "note") as? String ?? "")'"] + parts).joined(separator: "; ")
    }
}
