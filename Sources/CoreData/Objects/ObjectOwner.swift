// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The little an object needs from its context.

import Foundation

/// The services of a context for its managed objects.
protocol ObjectOwner: AnyObject {
    /// Gives a fault its values, or handles a missing record.
    func realize(_ object: NSManagedObject, for key: String?)

    /// Gives several faults their values in as few statements as possible; those without a record stay faults.
    func realizeAll(_ objects: [NSManagedObject])

    /// The one object for a reference that `source` holds; a fault where none is registered.
    func object(at reference: Reference, from source: NSManagedObject) -> NSManagedObject

    /// The object for a reference that `source` holds, if one is registered.
    func registeredObject(at reference: Reference, from source: NSManagedObject) -> NSManagedObject?

    /// The members of a to-many in the store; nil when the store cannot be read.
    func storedMembers(of slot: Int, in object: NSManagedObject) -> [NSManagedObject]?

    /// Gives an object its newest row, below its changes, unless these meet a conflict in the next save (Merging-26).
    ///
    /// - Parameter other: an object that has lost it just now.
    func catchUp(_ object: NSManagedObject, losing other: NSManagedObject)

    /// The data of an attribute whose file could not be read: read again, or nil and a reason to refuse the next save.
    func largeData(at slot: Int, of object: NSManagedObject) -> Any?

    /// The entity of a class in the owner's model. Traps where there is none, or more than one.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription

    /// The table of new objects of an entity.
    ///
    /// Traps when the owner's model has no such entity.
    func insertionTable(of entity: NSEntityDescription) -> Uncounted<ObjectTable>

    /// Takes in a new object of one of the owner's tables.
    func enter(_ object: NSManagedObject)

    /// The object is about to change for the first time since pending changes were processed.
    func willChange(_ object: NSManagedObject)

    /// Keys may have become permanent elsewhere: learns of it, where that is safe.
    func learnKeys()

    /// Whether the caller runs on the owner's queue; on any thread, and even when the owner is gone.
    var queueTest: @Sendable () -> Bool { get }

    /// Stops the program when this is not the owner's queue.
    ///
    /// - Parameter object: the object in use.
    func checkOwnership(of object: NSManagedObject?)

    /// The result of a fetched property.
    func fetchedValue(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [NSManagedObject]
}
