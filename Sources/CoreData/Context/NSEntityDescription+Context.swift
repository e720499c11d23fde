// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds entities in the model of a context, and makes objects of them.

import Foundation

extension NSEntityDescription {
    /// The entity with a name in the model of a context's coordinator; nil if there is no such entity.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext)
        -> NSEntityDescription?
    {
        context.state.registry.model.layout(named: entityName)?.entity
    }

    /// Makes an object of an entity and inserts it.
    ///
    /// Traps for an unknown name; the message lists the entities.
    public class func insertNewObject(forEntityName entityName: String, into context: NSManagedObjectContext)
        -> NSManagedObject
    {
        guard let layout = context.state.registry.model.layout(named: entityName) else {
            let known = context.state.registry.model.layouts.map(\.name)
            preconditionFailure(
                "The context's model has no entity '\(entityName)'.\(entityName.hint(among: known))"
                    + " Its entities are \(known.joined(separator: ", ")).")
        }
        return ObjectClasses.resolve(layout.entity).create(layout.entity, context)
    }
}
