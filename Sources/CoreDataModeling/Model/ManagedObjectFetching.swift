// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Requests that know the class of their results.

public import CoreData

/// What every managed object is; it lets `fetchRequest()` know which class it was called on. Do not conform to it.
public protocol ManagedObjectFetching: NSManagedObject {}

extension NSManagedObject: ManagedObjectFetching {}

extension ManagedObjectFetching {
    /// A request for all objects of this class.
    ///
    /// Of a class without `@ManagedObject` the entity is looked for in the models in use; traps where there is none.
    public static func fetchRequest() -> NSFetchRequest<Self> {
        if let declaration = ClassDeclaration.of(Self.self) {
            return NSFetchRequest<Self>(entityName: declaration.entityName)
        }
        let request = NSFetchRequest<Self>()
        request.entity = entity()
        return request
    }
}
