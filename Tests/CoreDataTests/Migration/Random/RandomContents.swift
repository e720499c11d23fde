// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects of a store as plain values, to compare stores of different versions.

import CoreDataTestSupport
import Foundation

@testable import CoreData

/// Objects by their key.
struct RandomContents: Equatable {
    struct Object: Equatable {
        let entity: String
        /// The values by name; no entry for nil. All numbers are written alike.
        var values: [String: String] = [:]
        /// The keys of the members, by name: in their order, or sorted for unordered relationships. Empty ones have no
        /// entry.
        var links: [String: [Int]] = [:]
    }

    private(set) var objects: [Int: Object] = [:]

    /// Fills a store of a version.
    static func fill(
        _ context: NSManagedObjectContext, _ version: RandomVersion, _ generator: inout SeededGenerator
    ) {
        var objects: [(entity: Int, object: NSManagedObject)] = []
        for entity in version.entities {
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let object = context.make(entity.name, [RandomVersion.key: objects.count])
                for attribute in version.attributes(of: entity.id) where generator.chance(0.7) {
                    let number = Int.random(in: 0...100, using: &generator)
                    object.setValue(RandomVersion.value(number, attribute.type), forKey: attribute.name)
                }
                objects.append((entity.id, object))
            }
        }
        for (entity, object) in objects {
            let family = Set(version.lineage(entity).map(\.id))
            for link in version.links where family.contains(link.owner) {
                var targets = objects.filter { version.lineage($0.entity).contains { $0.id == link.target } }
                targets.shuffle(using: &generator)
                let members = targets.prefix(Int.random(in: 0...3, using: &generator)).map(\.object)
                switch link.count {
                case .one, .requiredOne: object.setValue(members.first, forKey: link.name)
                case .many: object.setValue(Set(members), forKey: link.name)
                case .ordered: object.setValue(NSOrderedSet(array: members), forKey: link.name)
                }
            }
        }
    }

    init(_ context: NSManagedObjectContext, _ version: RandomVersion) throws {
        for entity in version.entities where entity.parent == nil {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name)) {
                var found = Object(entity: object.entity.name ?? "")
                for name in object.entity.attributesByName.keys where name != RandomVersion.key {
                    found.values[name] = object.value(forKey: name).map(Self.text)
                }
                for (name, relationship) in object.entity.relationshipsByName {
                    let members = (ManagedObjectList(object.value(forKey: name))?.members ?? []).map(Self.key)
                    if !members.isEmpty { found.links[name] = relationship.isOrdered ? members : members.sorted() }
                }
                objects[Self.key(object)] = found
            }
        }
    }

    func without(_ links: Set<String>) -> RandomContents {
        var result = self
        result.objects = objects.mapValues { object in
            var object = object
            object.links = object.links.filter { !links.contains($0.key) }
            return object
        }
        return result
    }

    private static func key(_ object: NSManagedObject) -> Int {
        (object.value(forKey: RandomVersion.key) as? NSNumber)?.intValue ?? -1
    }

    static func text(_ value: Any) -> String {
        if let text = value as? String { return text }
        return AttributeValues.number(value).map { "\($0.doubleValue)" } ?? "\(value)"
    }
}
