// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a module above this one keeps with an entity: the class of its objects, and a table for those in no context.

import Foundation

/// Objects of an entity with a companion are of its class, whatever the model says, and read their properties by slot:
/// the maker of the model numbers them as `EntityLayout` does. In no context they share one table.
package final class EntityCompanion: @unchecked Sendable {  // written before the entity is used
    package let entity: NSEntityDescription
    /// What the module above calls the entity's type.
    package let type: any Any.Type
    /// What the module above keeps with the topmost type.
    package let root: AnyObject
    let objectClass: NSManagedObject.Type
    let table: ObjectTable

    /// Compiles the entity's model, if it is not in use yet, and stays with the entity.
    ///
    /// - Throws: all faults of a model that cannot be used.
    @discardableResult
    package init(
        of entity: NSEntityDescription, in model: NSManagedObjectModel, type: any Any.Type, root: AnyObject,
        objectClass: NSManagedObject.Type
    ) throws {
        let layout = try model.compiledLayout()
        guard let own = layout.layout(of: entity) else {
            preconditionFailure("The model has no entity '\(entity.name ?? "")'.")
        }
        self.entity = own.entity
        self.type = type
        self.root = root
        self.objectClass = objectClass
        table = ObjectTable.detached(own)
        own.entity.companion = self
        // Now, as several threads may make objects later.
        _ = table.classFlags(objectClass)
    }

    static func of(_ entity: NSEntityDescription) -> EntityCompanion? { entity.companion as? EntityCompanion }
}

extension NSManagedObject {
    package final var entityCompanion: EntityCompanion? {
        heldTable.look { EntityCompanion.of($0.layout.entity) }
    }

    /// Whether the context holds it for unsaved changes.
    package final var isHeldByContext: Bool { flags.contains(.listed) }
}
