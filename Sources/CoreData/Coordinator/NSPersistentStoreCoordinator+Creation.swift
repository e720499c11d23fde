// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates coordinators and containers of classes known only at run time, as in `Self(managedObjectModel: model)`.

public import CoreDataFoundation
import Foundation

extension NSPersistentStoreCoordinator: MetatypeInitializing, ObjectAdopting {
    @_silgen_name("ocd_create_coordinator")
    convenience init(created model: NSManagedObjectModel) { self.init(managedObjectModel: model) }

    /// Creates a coordinator with the class's own initializer; see `NSManagedObject.create(_:_:)`.
    @_silgen_name("ocd_create_coordinator")
    final class func create(_ model: consuming NSManagedObjectModel) -> NSPersistentStoreCoordinator
}

extension MetatypeInitializing where Self: NSPersistentStoreCoordinator {
    /// The initializer for a class known only at run time.
    @_disfavoredOverload
    public init(managedObjectModel model: NSManagedObjectModel) {
        let type: NSPersistentStoreCoordinator.Type = type(of: self)
        self.init(adopting: type.create(model))
    }
}

extension NSPersistentContainer: MetatypeInitializing, ObjectAdopting {
    @_silgen_name("ocd_create_container")
    convenience init(created name: String, _ model: NSManagedObjectModel) {
        self.init(name: name, managedObjectModel: model)
    }

    /// Creates a container with the class's own initializer; see `NSManagedObject.create(_:_:)`.
    @_silgen_name("ocd_create_container")
    final class func create(_ name: consuming String, _ model: consuming NSManagedObjectModel) -> NSPersistentContainer
}

extension MetatypeInitializing where Self: NSPersistentContainer {
    /// The initializer for a class known only at run time.
    @_disfavoredOverload
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        let type: NSPersistentContainer.Type = type(of: self)
        self.init(adopting: type.create(name, model))
    }
}
