// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The models of the migrations: one wide entity with three indexes, ten small ones, and a chain of many versions.

import CoreData
import Foundation

enum MigrationModels {
    /// Items with ten columns and three indexes, and their owners.
    static func items(_ change: (Items) -> Void = { _ in }) -> NSManagedObjectModel {
        let (item, owner) = (entity("Item"), entity("Owner"))
        item.properties = [
            LibraryModel.attribute("amount", .integer32AttributeType),
            LibraryModel.attribute("code", .integer32AttributeType),
            LibraryModel.attribute("flag", .booleanAttributeType),
            LibraryModel.attribute("name", .stringAttributeType),
            LibraryModel.attribute("note", .stringAttributeType),
            LibraryModel.attribute("price", .doubleAttributeType),
            LibraryModel.attribute("rank", .integer16AttributeType),
            LibraryModel.attribute("stamp", .dateAttributeType),
            LibraryModel.attribute("text", .stringAttributeType),
        ]
        owner.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.connect(owner, "items", many: true, item, "owner", many: false)
        let model = NSManagedObjectModel()
        model.entities = [item, owner]
        let items = Items(model: model, item: item, owner: owner)
        change(items)
        item.indexes = ["name", "code"].compactMap { name in
            item.propertiesByName[name].map { property in
                NSFetchIndexDescription(
                    name: "by\(name)",
                    elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
            }
        }
        return model
    }

    struct Items {
        let model: NSManagedObjectModel
        let item: NSEntityDescription
        let owner: NSEntityDescription

        func add(_ attribute: NSAttributeDescription) { item.properties.append(attribute) }
        func remove(_ name: String) { item.properties.removeAll { $0.name == name } }
    }

    /// Ten entities of two columns.
    static func ten(addingFirst: Bool) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = (0..<10).map { number in
            let entity = entity("Kind\(number)")
            entity.properties = [
                LibraryModel.attribute("number", .integer64AttributeType),
                LibraryModel.attribute("text", .stringAttributeType),
            ]
            return entity
        }
        if addingFirst {
            let first = entity("Aardvark")
            first.properties = [LibraryModel.attribute("number", .integer64AttributeType)]
            model.entities.append(first)
        }
        return model
    }

    /// Versions of a model that grows by an attribute or an entity at a time.
    ///
    /// - Parameter renames: whether each version renames an attribute, so that only a migration through all of them
    ///   keeps its values.
    static func chain(_ count: Int, renames: Bool) -> [NSManagedObjectModel] {
        (0..<count).map { version in
            let model = NSManagedObjectModel()
            model.entities = (0..<(20 + version / 4)).map { number in
                let entity = entity("Entity\(100 + number * 7 % 100)x\(number)")
                var properties = (0..<6).map { LibraryModel.attribute("a\($0)", .stringAttributeType) }
                if number == 0 {
                    properties += (0..<version).map { LibraryModel.attribute("v\($0)", .integer32AttributeType) }
                    if renames {
                        let renamed = LibraryModel.attribute("r\(version)", .stringAttributeType)
                        renamed.renamingIdentifier = version > 0 ? "r\(version - 1)" : nil
                        properties.append(renamed)
                    }
                }
                entity.properties = properties
                return entity
            }
            return model
        }
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }
}
