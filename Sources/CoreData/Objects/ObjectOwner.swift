// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The services that an object needs from its context.

import Foundation

/// The services of a context for its managed objects.
protocol ObjectOwner: AnyObject {
    /// Gives a fault its values, or handles a missing record.
    func realize(_ object: NSManagedObject, for key: String?)

    /// Gives several faults their values in as few statements as possible; those without a record stay faults.
    func realizeAll(_ objects: [NSManagedObject])

    /// The unique object for a reference that `source` has; a new fault if none is registered.
    func object(at reference: Reference, from source: NSManagedObject) -> NSManagedObject

    /// The object for a reference that `source` has, if one is registered.
    func registeredObject(at reference: Reference, from source: NSManagedObject) -> NSManagedObject?

    /// The members of a to-many relationship in the store; nil if the store cannot be read.
    func storedMembers(of slot: Int, in object: NSManagedObject) -> [NSManagedObject]?

    /// Updates an object to its newest row, below its changes, unless these are in conflict with it at the next save
    /// (Merging-26).
    ///
    /// - Parameter other: an object that has just lost this one as a destination.
    func updateToNewestRow(_ object: NSManagedObject, losing other: NSManagedObject)

    /// Called if an attribute's data file could not be read: reads the data again. On failure the result is nil, and
    /// the next save is refused.
    func largeData(at slot: Int, of object: NSManagedObject) -> Any?

    /// The entity of a class in the owner's model. Traps unless exactly one entity has this class.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription

    /// The table of new objects of an entity.
    ///
    /// Traps if the owner's model has no such entity.
    func insertionTable(of entity: NSEntityDescription) -> Uncounted<ObjectTable>

    /// Inserts a new object that has one of the owner's tables.
    func enter(_ object: NSManagedObject)

    /// Called before the object changes for the first time since pending changes were processed.
    func willChange(_ object: NSManagedObject)

    /// Keys may have become permanent in another context: adopts them if that is safe.
    func learnKeys()

    /// Whether the caller runs on the owner's queue; may be called on any thread, even after the owner is deallocated.
    var queueTest: @Sendable () -> Bool { get }

    /// Traps if the caller does not run on the owner's queue.
    ///
    /// - Parameter object: the object in use.
    func checkOwnership(of object: NSManagedObject?)

    /// The result of a fetched property.
    func fetchedValue(_ property: NSFetchedPropertyDescription, for object: NSManagedObject) -> [NSManagedObject]
}
