// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes objects of classes that are known only at run time, without `required` initializers in subclasses.

public import CoreDataFoundation
import Foundation

extension MetatypeInitializing where Self: NSManagedObject {
    /// Makes an object of the entity with this class, and inserts it.
    ///
    /// ```swift
    /// let note = Memo(context: context)
    /// note.title = "Groceries"
    /// try context.save()
    /// ```
    ///
    /// The object has the default values of the model, a temporary id, and has been through `awakeFromInsert()`. The
    /// next save of the context writes it; `rollback()` and `delete(_:)` take it back.
    ///
    /// - Parameter moc: a context with a coordinator; it holds the object strongly until the save.
    /// - Important: call on the context's queue. Traps when no entity, or more than one, of the context's model has
    ///   this class, and for an abstract entity.
    /// - Complexity: no statement; the store gives keys when the context is saved.
    /// - SeeAlso: `NSManagedObjectContext.save()`, `NSManagedObject.awakeFromInsert()`, `NSBatchInsertRequest` for many
    ///   records.
    public init(context moc: NSManagedObjectContext) {
        let type: NSManagedObject.Type = type(of: self)
        self.init(adopting: type.create((moc as any ObjectOwner).entity(of: type), moc))
    }

    /// Makes an object of an entity and inserts it, as the initializer of the class does, for a class that is known
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
    /// This is `init(created:_:)` under its symbol name. A subclass that declares initializers does not inherit that
    /// initializer, and need not implement it, because it is not `required`; but like every convenience initializer it
    /// calls the designated one through the method table of the given class. Both have the same calling convention:
    /// owned arguments, and the class as `self`. If a class declares a designated initializer and does not override
    /// this one, its method table has an entry there that stops the program and names the class.
    @_silgen_name("ocd_create_managed_object")
    final class func create(_ entity: consuming NSEntityDescription, _ context: consuming NSManagedObjectContext?)
        -> NSManagedObject
}
