// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From a class or a description to the entity and the layout that are meant.

import Foundation

/// Finds the entity of a class.
enum EntityLookup {
    /// In the models in use; of several models with such an entity, the one used last.
    static func entity(for type: NSManagedObject.Type) -> NSEntityDescription {
        if let entity = knownEntity(for: type) { return entity }
        DiagnosisLog.warn(
            "No model in use has an entity with the class '\(type)'. Make a coordinator or a container with the model first, or use "
                + "`NSManagedObject(entity:insertInto:)`.")
        return emptyEntity(named: "\(type)")
    }

    /// nil where no model in use has one.
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
    /// The table of new objects of an entity, with a count of its own: that of a context, or one for a single object
    /// that is in none.
    @inline(__always) class func insertionTable(of entity: NSEntityDescription, in context: NSManagedObjectContext?)
        -> Counted<ObjectTable>
    {
        if context == nil, let companion = EntityCompanion.of(entity) { return Counted(companion.table) }
        guard let context else { return Counted(ObjectTable.detached(detachedLayout(of: entity))) }
        return Counted((context as any ObjectOwner).insertionTable(of: entity))
    }

    /// The layout of an entity that objects in no context have; of one that is in no context's model, one of its own.
    private class func detachedLayout(of entity: NSEntityDescription) -> EntityLayout {
        if let model = entity.model, let layout = CompiledModels.layout(of: model)?.layout(of: entity) { return layout }
        if let layout = ModelLayout(entities: entity.lineage.reversed()).layout(of: entity) { return layout }
        preconditionFailure("An entity needs a name before objects of it can be made.")
    }
}
