// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the entity and the layout for a class or a description.

import Foundation

/// Finds the entity of a class.
enum EntityLookup {
    /// Searches the models in use; if several have such an entity, the most recently used one wins.
    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        if let entity = knownEntity(for: type) { return entity }
        DiagnosisLog.warn(
            "No model in use has an entity with the class '\(type)'. Make a coordinator or a container with the model first, or use "
                + "`NSManagedObject(entity:insertInto:)`.")
        return emptyEntity(named: "\(type)")
    }

    /// nil if no model in use has one.
    static func knownEntity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        ObjectClasses.register(type)
        return CompiledModels.entities { ObjectClasses.names($0, type) }.last
    }

    /// For an object that was made without an entity.
    static func emptyEntity(named name: String = "NSManagedObject") -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }
}

extension NSManagedObject {
    /// The table of new objects of an entity, retained: the context's, or a new one for a single object without a
    /// context.
    @inline(__always) class func insertionTable(of entity: NSEntityDescription, in context: NSManagedObjectContext?)
        -> Counted<ObjectTable>
    {
        if context == nil, let companion = EntityCompanion.of(entity) { return Counted(companion.table) }
        guard let context else { return Counted(ObjectTable.detached(detachedLayout(of: entity))) }
        return Counted((context as any ObjectOwner).insertionTable(of: entity))
    }

    /// The layout of an entity for objects without a context; a new one if the entity is in no compiled model.
    private class func detachedLayout(of entity: NSEntityDescription) -> EntityLayout {
        if let model = entity.model, let layout = CompiledModels.layout(of: model)?.layout(of: entity) { return layout }
        if let layout = ModelLayout(entities: entity.lineage.reversed()).layout(of: entity) { return layout }
        preconditionFailure("An entity needs a name before objects of it can be made.")
    }
}
