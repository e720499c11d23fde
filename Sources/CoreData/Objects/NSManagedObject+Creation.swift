// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes objects of classes that are known only at run time, without `required` initializers in subclasses.

public import CoreDataFoundation
import Foundation

extension MetatypeInitializing where Self: NSManagedObject {
    /// Makes an object of the entity whose class this is, and inserts it.
    ///
    /// - Important: call on the context's queue. Traps when no entity, or more than one, of the context's model has
    ///   this class.
    public init(context moc: NSManagedObjectContext) {
        let type: NSManagedObject.Type = type(of: self)
        self.init(adopting: type.create((moc as any ObjectOwner).entity(of: type), moc))
    }

    /// Makes an object of an entity and inserts it, as the initializer of the class does, where the class is known
    /// only at run time.
    ///
    /// - Important: call on the context's queue.
    @_disfavoredOverload
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        let type: NSManagedObject.Type = type(of: self)
        self.init(adopting: type.create(entity, context))
    }
}

extension NSManagedObject {
    /// Makes an object by the initializer `init(entity:insertInto:)` of the class itself, or of the nearest
    /// superclass that has one.
    ///
    /// This is `init(created:_:)` by its symbol. That initializer is inherited by no subclass with initializers of
    /// its own, and needs none to be `required`; but it calls the designated one through the method table of the
    /// class that it is given, as every convenience initializer does. Both have the same calling convention: owned
    /// arguments, and the class as `self`. A class with a designated initializer of its own that does not override
    /// this one has an entry there which stops the program and names the class.
    @_silgen_name("ocd_create_managed_object")
    final class func create(_ entity: consuming NSEntityDescription, _ context: consuming NSManagedObjectContext?)
        -> NSManagedObject
}
