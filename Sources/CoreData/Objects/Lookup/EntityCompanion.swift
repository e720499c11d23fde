// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Attaches data of a higher module to an entity: the class of its objects, and a table for objects without a context.

import Foundation

/// Objects of an entity with a companion have the companion's class, regardless of the model, and read their properties
/// by slot: the higher module numbers them as `EntityLayout` does. Objects without a context share one table.
package final class EntityCompanion: @unchecked Sendable {  // written before the entity is used
    package let entity: NSEntityDescription
    /// The higher module's type for the entity.
    package let type: any Any.Type
    /// Data of the higher module for the type's topmost superclass.
    package let root: AnyObject
    let objectClass: NSManagedObject.Type
    let table: ObjectTable

    /// Compiles the entity's model, if it is not in use yet, and attaches itself to the entity.
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
        // Computed here, because several threads may make objects later.
        _ = table.classFlags(objectClass)
    }

    static func of(_ entity: NSEntityDescription) -> EntityCompanion? { entity.companion as? EntityCompanion }
}

extension NSManagedObject {
    package final var entityCompanion: EntityCompanion? {
        heldTable.look { EntityCompanion.of($0.layout.entity) }
    }

    /// Names the table that objects of one entity, store and context share. Objects of one table have one companion.
    package final var tableName: ObjectIdentifier { heldTable.look { ObjectIdentifier($0) } }

    /// Whether the context retains the object for its unsaved changes.
    package final var isHeldByContext: Bool { flags.contains(.listed) }
}
