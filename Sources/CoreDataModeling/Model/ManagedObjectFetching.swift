// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fetch requests with the class of their results.

public import CoreData

/// Lets `fetchRequest()` know the class that it is called on. Every managed object conforms; do not conform to it.
public protocol ManagedObjectFetching: NSManagedObject {}

extension NSManagedObject: ManagedObjectFetching {}

extension ManagedObjectFetching {
    /// A request for all objects of this class.
    ///
    /// For a class without `@ManagedObject` the entity is searched in the models in use; traps if no model has one.
    public static func fetchRequest() -> NSFetchRequest<Self> {
        if let declaration = ClassDeclaration.of(Self.self) {
            return NSFetchRequest<Self>(entityName: declaration.entityName)
        }
        let request = NSFetchRequest<Self>()
        request.entity = entity()
        return request
    }
}
