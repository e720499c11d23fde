// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for classes of a test: an entity for each class.

public import CoreData

/// One entity with a name, a nickname, a day and a transient mood.
public enum NamedModel {
    /// - Parameters:
    ///   - type: the class of the objects. The entity has its name, or "Named" without a class.
    ///   - isUnique: whether names are unique.
    public static func make(
        _ type: NSManagedObject.Type? = nil, optional: Bool = true, isUnique: Bool = false
    ) -> NSManagedObjectModel {
        let entity = NSEntityDescription(type.map { "\($0)" } ?? "Named", class: type)
        entity.attribute("name", .stringAttributeType, optional: optional)
        entity.attribute("nickname", .stringAttributeType)
        entity.attribute("day", .dateAttributeType)
        entity.attribute("mood", .stringAttributeType, transient: true)
        if isUnique { entity.uniquenessConstraints = [["name"]] }
        return NSManagedObjectModel(entity)
    }

    /// One such entity for each class.
    public static func make(classes: [NSManagedObject.Type]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = classes.map { type in
            let entity = NSEntityDescription("\(type)", class: type)
            entity.attribute("name", .stringAttributeType)
            return entity
        }
        return model
    }
}
