// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the objects of a context and writes their lines.

import CoreData
import Foundation

/// One reading of all objects. Used on the context's queue.
struct ContentsText {
    /// An object with the parts of its text that do not depend on other objects.
    private struct Item {
        let object: NSManagedObject
        let entity: String
        /// Its value in quotes, or empty.
        let name: String
        let attributes: [(name: String, text: String)]
    }

    private let names: Set<String>
    private var items: [Item] = []

    init(
        _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, _ entities: [String]?,
        leavingOut names: Set<String>
    ) throws {
        self.names = names
        let roots = model.entities.filter { $0.superentity == nil && $0.name != nil }
        for root in roots {
            let request = NSFetchRequest<NSManagedObject>(entityName: root.name ?? "")
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = root.relationshipsByName.keys.sorted()
            for object in try context.fetch(request) where Self.isWanted(object.entity, entities) {
                items.append(item(object))
            }
        }
    }

    private static func isWanted(_ entity: NSEntityDescription, _ names: [String]?) -> Bool {
        guard let names else { return true }
        return lineage(entity).contains { names.contains($0) }
    }

    /// The names of an entity and its superentities.
    private static func lineage(_ entity: NSEntityDescription) -> [String] {
        sequence(first: entity, next: \.superentity).compactMap(\.name)
    }

    private func isLeftOut(_ property: String, of entity: NSEntityDescription) -> Bool {
        names.contains(property) || Self.lineage(entity).contains { names.contains("\($0).\(property)") }
    }

    private func item(_ object: NSManagedObject) -> Item {
        let entity = object.entity
        var attributes: [(name: String, text: String)] = []
        for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
        where !attribute.isTransient && !isLeftOut(name, of: entity) {
            ValueText.lines(name, object.value(forKey: name), attribute) { attributes.append(($0, $1)) }
        }
        return Item(
            object: object, entity: entity.name ?? "", name: NamingAttribute.name(of: object) ?? "",
            attributes: attributes)
    }

    /// The whole text. Sorted by entity, name and values, then by the relationships (`ContentsOrder`).
    var text: String {
        let numbers = Dictionary(
            uniqueKeysWithValues: items.indices.map { (ObjectIdentifier(items[$0].object), $0) })
        let links = items.map { self.links(of: $0, numbers) }
        let texts = items.map { item in
            "\(item.entity)\u{1}\(item.name)\u{1}"
                + item.attributes.map { "\($0.name)\u{1}\($0.text)" }.joined(separator: "\u{1}")
        }
        let order = ContentsOrder(texts, links: links.map { $0.map(\.members) }).order
        let labels = self.labels(order)
        return order.flatMap { index -> [String] in
            let properties =
                items[index].attributes.map { ($0.name, $0.text) }
                + links[index].filter { !$0.members.indexes.isEmpty }.map { ($0.name, Self.text($0.members, labels)) }
            return [labels[index]] + properties.sorted { $0.0 < $1.0 }.map { "  \($0.0): \($0.1)" }
        }.joined(separator: "\n")
    }

    private func links(
        of item: Item, _ numbers: [ObjectIdentifier: Int]
    ) -> [(name: String, members: ContentsOrder.Members)] {
        item.object.entity.relationshipsByName.sorted { $0.key < $1.key }.compactMap { name, relationship in
            guard !relationship.isTransient, !isLeftOut(name, of: item.object.entity) else { return nil }
            let value = item.object.value(forKey: name)
            let members: [NSManagedObject] =
                switch value {
                case let one as NSManagedObject: [one]
                case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
                case let set as Set<NSManagedObject>: Array(set)
                case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
                default: []
                }
            // Objects of entities that are not read have no label.
            let indexes = members.compactMap { numbers[ObjectIdentifier($0)] }
            return (name, ContentsOrder.Members(indexes: indexes, isOrdered: relationship.isOrdered))
        }
    }

    /// "Book "Dune"", with a number where several objects of an entity have one name, or none.
    private func labels(_ order: [Int]) -> [String] {
        let plain = items.map { $0.name.isEmpty ? $0.entity : "\($0.entity) \($0.name)" }
        let counts = plain.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        var (labels, last) = (plain, [String: Int]())
        for index in order where items[index].name.isEmpty || counts[plain[index], default: 0] > 1 {
            last[plain[index], default: 0] += 1
            labels[index] = "\(plain[index]) #\(last[plain[index]] ?? 0)"
        }
        return labels
    }

    private static func text(_ members: ContentsOrder.Members, _ labels: [String]) -> String {
        let texts = members.indexes.map { labels[$0] }
        return members.isOrdered ? "[\(texts.joined(separator: ", "))]" : texts.sorted().joined(separator: ", ")
    }
}

/// The attributes that name objects in texts.
enum NamingAttribute {
    private static let usual = ["name", "title", "label", "identifier", "email", "code", "number"]

    /// The value of the first unique constraint, else of a usual attribute, in quotes if it is text.
    ///
    /// - Returns: nil if the object has no such value. Identifiers that programs make at random name nothing.
    static func name(of object: NSManagedObject) -> String? {
        let attributes = object.entity.attributesByName
        let constraints = sequence(first: object.entity, next: \.superentity).flatMap(\.uniquenessConstraints)
        let candidates = constraints.map { $0.compactMap(name(of:)) } + usual.map { [$0] }
        for names in candidates where !names.isEmpty {
            let texts = names.compactMap { name -> String? in
                guard let attribute = attributes[name], !attribute.isTransient, isReadable(attribute) else {
                    return nil
                }
                return object.value(forKey: name).map { ValueText.text($0, attribute) }
            }
            if texts.count == names.count { return texts.joined(separator: " ") }
        }
        return nil
    }

    private static func name(of part: Any) -> String? {
        part as? String ?? (part as? NSPropertyDescription)?.name
    }

    private static func isReadable(_ attribute: NSAttributeDescription) -> Bool {
        switch attribute.attributeType {
        case .stringAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .URIAttributeType, .dateAttributeType, .decimalAttributeType:
            true
        default: false
        }
    }
}
