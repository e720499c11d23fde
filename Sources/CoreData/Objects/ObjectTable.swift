// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What all objects of one entity, one store and one context have in common.

import CRuntime
import Foundation

/// The one reference through which an object reaches its entity, its identity map and its context.
///
/// It outlives the context; then `owner` is nil, and so is the `managedObjectContext` of every object.
final class ObjectTable {
    let layout: EntityLayout
    let identityMap: IdentityMap
    /// nil for objects that no store has yet.
    let home: StoreIdentity?
    /// Held, so that whoever asks a store that is removed meanwhile asks a closed one. nil where there is no context.
    @exclusivity(unchecked) private var homeRecords: (any RecordStore)?
    /// The store as one that answers in rows; nil for unsaved objects, for those in no context, and once the store is
    /// removed. A cast to the protocol costs as much as a look-up, so it is done once.
    @inline(__always) var records: (any RecordStore)? {
        guard let home else { return nil }
        let records = homeRecords  // before the question: what is read after it makes Swift retain the table as well
        return home.hasStore ? records : nil
    }
    /// The class that the model names. Looked up again when classes have become known since.
    var objectClass: NSManagedObject.Type {
        if knownClasses != ObjectClasses.knownCount { resolveClass() }
        return resolvedClass
    }
    @exclusivity(unchecked) private var resolvedClass: NSManagedObject.Type = NSManagedObject.self
    /// -1: never looked up. The tables of objects that left their context never need to.
    @exclusivity(unchecked) private var knownClasses = -1
    /// The class that objects were made of last; mostly it is the only one.
    @exclusivity(unchecked) private var flaggedClass: ObjectIdentifier?
    @exclusivity(unchecked) private var flagsOfClass: ObjectFlags = []
    /// Cleared by the context when it goes away; never read by anything else meanwhile, objects belong to its queue.
    @exclusivity(unchecked) unowned(unsafe) var owner: (any ObjectOwner)?
    /// Destinations of objects without an extension. Made on the context's queue; objects that read it elsewhere, when they die,
    /// have put something there before.
    @exclusivity(unchecked) private(set) var followed: FollowedDestinations?
    @inline(__always) var followedMade: FollowedDestinations { followed ?? makeFollowed() }
    /// Where the to-one led that was followed last. It lives as long as the context has this table, and is looked at only
    /// while there is an owner.
    @exclusivity(unchecked) private unowned(unsafe) var lastNeighbour: ObjectTable?
    /// That of objects which have left the context: one for all of them.
    private(set) lazy var detached = ObjectTable.detached(layout, home: home)
    /// What names the properties of tracked objects for Swift's Observation.
    var propertyKeyPaths: [String: KeyPath<NSManagedObject, Any?>] = [:]
    /// What is checked before an object is saved.
    var rules: ValidationRules {
        if let knownRules { return knownRules }
        let rules = ValidationRules(layout)
        knownRules = rules
        return rules
    }
    @exclusivity(unchecked) private var knownRules: ValidationRules?
    /// The class has rules of its own, for single values.
    var validatesItself: Bool {
        if knownClasses != ObjectClasses.knownCount { resolveClass() }
        return classValidates
    }
    @exclusivity(unchecked) private var classValidates = false

    /// To-manys whose members are looked at before an object is saved: those with a rule about them, or all, if the
    /// class has rules of its own.
    var checkedMembers: [Int] { validatesItself ? layout.toManySlots : rules.ruledMembers }

    private func resolveClass() {
        knownClasses = ObjectClasses.knownCount
        resolvedClass = ObjectClasses.resolve(layout.entity)
        classValidates = MethodOverride.validateValue.isPresent(in: resolvedClass)
    }

    /// Which flags objects of a class have from the beginning.
    @inline(__always) func classFlags(_ type: NSManagedObject.Type) -> ObjectFlags {
        if ObjectIdentifier(type) != flaggedClass { learnFlags(type) }
        return flagsOfClass
    }

    private func learnFlags(_ type: NSManagedObject.Type) {
        flagsOfClass = SlotSignature(layout).begins(with: SlotSignature.declared(by: type)) ? .slotsMatch : []
        flaggedClass = ObjectIdentifier(type)
    }

    init(
        layout: EntityLayout, identityMap: IdentityMap, home: StoreIdentity?, owner: (any ObjectOwner)?
    ) {
        self.layout = layout
        self.identityMap = identityMap
        self.home = home
        if owner != nil { homeRecords = home?.store as? any RecordStore }
        self.owner = owner
    }

    /// The identity was passed to another store.
    func findStore() { homeRecords = home?.store as? any RecordStore }

    /// The context has no more use for it. Objects may go on to have it, which hold no store open.
    func leave() {
        owner = nil
        homeRecords = nil
    }

    /// For an object that is in no context.
    ///
    /// - Parameter home: the store that had its record, so that its id stays what it was.
    static func detached(_ layout: EntityLayout, home: StoreIdentity? = nil) -> ObjectTable {
        ObjectTable(layout: layout, identityMap: IdentityMap(), home: home, owner: nil)
    }

    private func makeFollowed() -> FollowedDestinations {
        let made = FollowedDestinations(layout)
        followed = made
        return made
    }

    /// The registered object that a to-one of these objects leads to, where the one before it was of the same entity; nil
    /// says nothing.
    @inline(__always) func registeredNeighbour(_ reference: Reference) -> NSManagedObject? {
        guard let lastNeighbour, reference.key > 0, lastNeighbour.layout.index == reference.entityIndex else {
            return nil
        }
        return lastNeighbour.identityMap.object(reference.key)
    }

    /// A to-one of these objects led to one of another table.
    func noteNeighbour(_ table: ObjectTable) {
        lastNeighbour = table.home === home && home != nil && table.owner != nil ? table : nil
    }

    /// Makes the object for a record: a fault, registered; `row` primes it.
    func makeFault(_ key: Int64, row: Snapshot?) -> NSManagedObject {
        let object = CreationTicket.make(self, key)
        object.flags.insert(.fault)
        object.snapshot = row
        identityMap.register(object, key)
        return object
    }
}

/// Hands table and key to the initializer that all managed objects share, past subclasses that know nothing of them.
struct CreationTicket {
    let table: ObjectTable
    let key: Int64

    static func make(_ table: ObjectTable, _ key: Int64) -> NSManagedObject {
        var ticket = CreationTicket(table: table, key: key)
        return withUnsafeMutablePointer(to: &ticket) { pointer in
            ocd_set_creation_ticket(pointer)
            return table.objectClass.init(entity: table.layout.entity, insertInto: nil)
        }
    }

    /// The ticket of the object being made on this thread; nil when a user makes one.
    static func take() -> CreationTicket? {
        ocd_take_creation_ticket()?.assumingMemoryBound(to: CreationTicket.self).pointee
    }
}
