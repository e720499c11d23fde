// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and writes the slots of one object: fires faults, copies blocks before the first write, records changes.

import CRuntime
import Foundation

extension NSManagedObject {
    // MARK: Reading

    /// Ensures that the values are read. Afterwards `snapshot` is not nil.
    @inline(__always) final func fireFault(_ key: String?) {
        if flags.contains(.fault) { realize(key) }
    }

    private func realize(_ key: String?) {
        guard let owner = table.owner else { return readWithoutContext() }
        owner.realize(self, for: key)
    }

    /// Called for a fault when its context goes away: the row from its fetch, or one in the row cache, becomes its
    /// values. A fault without such a row remains a fault, and reads as nil.
    final func detachValues(usesRowCache: Bool) {
        let isInserted = flags.contains(.inserted)
        if snapshot == nil, usesRowCache, !isInserted {
            snapshot = table.records?.rowCache.row(root: table.layout.rootIndex, key: key)
        }
        if snapshot != nil, !isInserted { flags.remove(.fault) } else { snapshot = nil }
    }

    /// A fault without a context remains a fault. Each property reads as nil, or as the zero of its type.
    private func readWithoutContext() {
        if snapshot == nil { snapshot = .make(table.layout) }
        table.warnOfLostContext(objectID)
    }

    /// The values; fires the fault.
    @inline(__always) final var realized: Snapshot {
        fireFault(nil)
        // `realize` always sets a block: the row's, or one that contains only nulls.
        return snapshot ?? .make(table.layout)
    }

    @inline(__always) final var extensionMade: ObjectExtension {
        if let objectExtension { return objectExtension }
        let made = ObjectExtension.make(table.layout)
        objectExtension = made
        return made
    }

    /// The destination of a to-one relationship, or nil.
    final func destination(_ slot: Int) -> NSManagedObject? {
        fireFault(nil)
        guard let reference = heldRow?.look({ $0.reference(slot) }) else { return nil }
        let ordinal = Int(place(slot).ordinal)
        return cachedDestination(ordinal, reference) ?? searchedDestination(ordinal, reference)
    }

    private func searchedDestination(_ ordinal: Int, _ reference: Reference) -> NSManagedObject? {
        guard let object = table.owner?.object(at: reference, from: self) else {
            if table.hasLostOwner { table.warnOfLostContext(objectID) }
            return nil
        }
        table.noteNeighbour(ordinal, object.table)
        rememberDestination(object, ordinal)
        return object
    }

    /// The members of a to-many relationship, in order if it is ordered; fires its fault.
    final func members(_ slot: Int) -> ContiguousArray<NSManagedObject> {
        checkOwnership()
        realizeMembers(slot)
        return objectExtension?.members[Int(table.layout[slot].ordinal)]?.members?.objects ?? []
    }

    final func realizeMembers(_ slot: Int) {
        fireFault(nil)
        let ordinal = Int(table.layout[slot].ordinal)
        let objectExtension = extensionMade
        if !objectExtension.members.isSet(ordinal) {
            objectExtension.members[ordinal] = flags.contains(.inserted) ? .empty : ToManyValue()
        }
        guard objectExtension.members[ordinal]?.isFault == true else { return }
        if table.hasLostOwner { table.warnOfLostContext(objectID) }
        let stored = isInserted ? [] : table.owner.map { $0.storedMembers(of: slot, in: self) } ?? []
        guard let stored else { return }  // it remains a fault, and the next access tries again
        objectExtension.members[ordinal]?.realize(stored)
    }

    // MARK: Writing

    /// Prepares a write: the values are read, the context is notified, the block is uniquely referenced.
    @inline(__always) final func willWrite(_ slot: Int) {
        if flags.intersection(.writeStates) != .writable { prepareWrite(recorded: true) }
        withExistingExtension {
            if flags.contains(.inserted) { $0.noteChanged(slot) } else { $0.withChange { $0.changed.insert(slot) } }
        }
    }

    /// - Parameter recorded: false for primitive values, which are not recorded as changes.
    final func prepareWrite(recorded: Bool) {
        fireFault(nil)
        if flags.contains(.fault) { standIn() }
        if recorded, !flags.contains(.updatedInEvent) { heldTable.look { $0.owner?.willChange(self) } }
        guard !flags.contains(.ownsSnapshot) else { return }
        let isInserted = flags.contains(.inserted)
        withExtension {
            if !isInserted, $0.heldCommitted == nil { $0.committed = heldRow?.object }
        }
        // Another block replaces this one; others may retain the old one.
        snapshot = heldRow?.look { $0.copy() } ?? realized.copy()
        flags.insert(.ownsSnapshot)
    }

    /// The row could not be read: changes are applied to nulls until the save has read the row.
    private func standIn() {
        if snapshot == nil { snapshot = .make(table.layout) }
        flags.remove(.fault)
    }

    /// Writes an attribute.
    final func write(_ value: Any?, _ slot: Int, recorded: Bool) {
        guard recorded else {
            prepareWrite(recorded: false)
            return store(value, slot)
        }
        if comparesValues, holds(value, slot) { return }
        announcing(slot) {
            willWrite(slot)
            store(value, slot)
        }
    }

    /// Whether setting a value that equals the present one is not a change.
    @inline(__always) final var comparesValues: Bool {
        flags.intersection(.comparing) == .ignoresEqualValues
    }

    private func holds(_ value: Any?, _ slot: Int) -> Bool {
        fireFault(nil)
        guard !flags.contains(.fault), let row = snapshot else { return false }
        guard let value, !(value is NSNull) else { return row.isNull(slot) }
        let probe = row.copy()
        return probe.setValue(value, slot) && probe.isEqual(row, slot: slot)
    }

    /// Writes an attribute with a value from a block of another layout, where it has the same kind.
    final func take(_ slot: Int, from row: Snapshot, _ origin: Int) {
        announcing(slot) {
            willWrite(slot)
            realized.take(slot, from: row, origin)
        }
    }

    private func store(_ value: Any?, _ slot: Int) {
        guard realized.setValue(value, slot) || keepOutOfRange(value, slot) else {
            preconditionFailure(
                "'\(table.layout.name).\(table.layout.properties[slot].name)' cannot hold a value of type "
                    + "\(value.map { String(describing: Swift.type(of: $0)) } ?? "nil")")
        }
    }

    /// A number that does not fit an integer attribute is bad data, not misuse: the object keeps it until validation.
    private func keepOutOfRange(_ value: Any?, _ slot: Int) -> Bool {
        guard table.layout[slot].kind == .integer, let number = value.flatMap(AttributeValues.number) else {
            return false
        }
        realized.setInteger(Snapshot.nearestInteger(number), slot)
        extensionMade.uncommonMade.outOfRange[slot] = number
        return true
    }

    /// Writes the key of a to-one relationship, and remembers the object. Does not touch the inverse.
    final func writeDestination(_ object: NSManagedObject?, _ slot: Int, recorded: Bool = true) {
        guard recorded else {
            prepareWrite(recorded: false)
            return storeDestination(object, slot)
        }
        announcing(slot) {
            willWrite(slot)
            storeDestination(object, slot)
        }
    }

    private func storeDestination(_ object: NSManagedObject?, _ slot: Int) {
        fireFault(nil)
        if let object { noteDeletion(of: object) }
        heldRow?.look { if let object { $0.setReference(object.reference, slot) } else { $0.setNull(slot) } }
        let ordinal = Int(place(slot).ordinal)
        withExtension { $0.setDestination(object, ordinal) }
    }

    @inline(__always) final var reference: Reference {
        Reference(entityIndex: heldTable.look { $0.layout.index }, key: key)
    }

    /// Records that a to-many relationship changes; the caller changes the members.
    final func willChangeMembers(_ slot: Int) {
        fireFault(nil)
        if !flags.contains(.updatedInEvent) { heldTable.look { $0.owner?.willChange(self) } }
        let ordinal = Int(place(slot).ordinal)
        withExtension {
            $0.withChange { change in
                if !change.members.isSet(ordinal) {
                    change.members[ordinal] = flags.contains(.inserted) ? .empty : ToManyValue()
                }
                change.changed.insert(slot)
            }
        }
    }

    // MARK: By name

    final func codedValue(forKey key: String) -> Any? {
        guard let slot = table.layout.slotNumbers[key] else {
            if let own = reservedValue(key) { return own.value }
            if let inside = InsidePath(key: key), let slot = table.layout.slot(inside.attribute) {
                willRead(inside.attribute)
                return inside.value(in: value(at: slot))
            }
            if let name = AccessorNames.getter(of: key, in: table.layout) { return codedValue(forKey: name) }
            willRead(key)
            if ocd_anything_records(), ReadRecorder.current?.allowsUnknownKeys == true { return nil }
            return value(forUndefinedKey: key)
        }
        willRead(key)
        return value(at: slot)
    }

    final func value(at slot: Int) -> Any? {
        checkOwnership()
        switch table.layout[slot].kind {
        case .reference: return destination(slot)
        case .toMany:
            let members = members(slot)
            return table.layout[slot].isOrdered
                ? NSOrderedSet(array: Array(members)) as Any : NSSet(array: Array(members)) as Any
        case .fetched: return fetchedObjects(slot)
        default: return realized.value(slot) ?? unreadValue(slot)
        }
    }

    /// For an attribute that reads as nil: its data, if the data exists but could not be read.
    final func unreadValue(_ slot: Int) -> Any? {
        guard let row = snapshot, row.layout[slot].kind == .box, row.box(slot)?.files.isEmpty == false else {
            return nil
        }
        return table.owner?.largeData(at: slot, of: self)
    }

    final func setCodedValue(_ value: Any?, forKey key: String) {
        guard let slot = table.layout.slotNumbers[key] else {
            if let name = AccessorNames.setter(of: key, in: table.layout) { return setCodedValue(value, forKey: name) }
            return setValue(value, forUndefinedKey: key)
        }
        checkOwnership()
        switch table.layout[slot].kind {
        case .reference: setDestination(Self.object(in: value, key), slot)
        case .toMany: setMembers(Self.objects(in: value, key), slot)
        case .fetched:
            preconditionFailure("'\(table.layout.name).\(key)' is a fetched property: it cannot be set")
        default: write(value, slot, recorded: true)
        }
    }

    /// The value of a property, without calling `willAccessValue`; fires a fault.
    ///
    /// - Returns: for a to-many relationship an `NSMutableSet` or `NSMutableOrderedSet`. An ordered set, and a set
    ///   between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`, are live views: changing them sets primitive
    ///   values, as `setPrimitiveValue(_:forKey:)` does. Any other set is a copy, which can be cast to a Swift set.
    public final func primitiveValue(forKey key: String) -> Any? {
        let slot = slot(key)
        guard table.layout[slot].kind == .toMany else { return value(at: slot) }
        checkOwnership()
        if table.layout[slot].isOrdered { return RelationshipOrderedSet(self, slot, .primitive) }
        // A view would not always do: Foundation casts only its own sets, and makes an empty `Set` of any other.
        return isAnnounced(slot)
            ? RelationshipSet(self, slot, .primitive) : NSMutableSet(array: Array(members(slot)))
    }

    /// Sets a property without recording a change and without updating the inverse of a relationship.
    ///
    /// Use it in accessors that are written by hand, between the calls that announce the change:
    ///
    /// ```swift
    /// var author: String? {
    ///     get {
    ///         willAccessValue(forKey: "author")
    ///         defer { didAccessValue(forKey: "author") }
    ///         return primitiveValue(forKey: "author") as? String
    ///     }
    ///     set {
    ///         willChangeValue(forKey: "author")
    ///         setPrimitiveValue(newValue, forKey: "author")
    ///         didChangeValue(forKey: "author")
    ///     }
    /// }
    /// ```
    ///
    /// Between `willChangeValue(forKey:)` and `didChangeValue(forKey:)` the change is recorded, and the latter updates
    /// the other ends. Without them no save writes the object for it.
    ///
    /// - Parameters:
    ///   - value: a value of the property's type; nil and `NSNull` take the value away.
    ///   - key: a property of the entity.
    /// - Important: call on the context's queue. Traps for a key that the entity lacks, for a fetched property, and for
    ///   a value that the property cannot hold.
    /// - Complexity: fires a fault. A to-many is compared with its saved members, which are read for it.
    /// - SeeAlso: `primitiveValue(forKey:)`, `setValue(_:forKey:)`.
    public final func setPrimitiveValue(_ value: Any?, forKey key: String) {
        checkOwnership()
        let slot = slot(key)
        switch table.layout[slot].kind {
        case .reference: setPrimitiveDestination(Self.object(in: value, key), slot)
        case .toMany: setPrimitiveMembers(Self.objects(in: value, key), slot)
        case .fetched: preconditionFailure("'\(table.layout.name).\(key)' is a fetched property: it cannot be set")
        default: write(value, slot, recorded: false)
        }
    }

    final func slot(_ key: String) -> Int {
        guard let slot = table.layout.slotNumbers[key] else {
            preconditionFailure("'\(table.layout.name)' has no property '\(key)'.\(table.layout.names(near: key))")
        }
        return slot
    }

    final func relationshipSlot(_ key: String) -> Int {
        let slot = slot(key)
        guard table.layout.relationship(slot) != nil else {
            preconditionFailure("'\(table.layout.name).\(key)' is no relationship")
        }
        return slot
    }

    final func beginChange(_ key: String, _ members: MemberChange? = nil) {
        checkOwnership()
        if flags.contains(.observed) { announceWillChange(key, members) }
        guard let slot = table.layout.slotNumbers[key] else { return }
        if table.layout[slot].kind == .toMany { willChangeMembers(slot) } else { willWrite(slot) }
        beginAnnounced(slot)
    }

    final func endChange(_ key: String) {
        DeferredAnnouncements.holding {
            if let slot = table.layout.slotNumbers[key] {
                objectExtension?.changed.insert(slot)
                endAnnounced(slot)
            }
            if flags.contains(.observed) { announceDidChange(key) }
        }
    }

    /// The names in key paths of predicates that are not properties.
    private func reservedValue(_ key: String) -> (value: Any?, Void)? {
        switch key {
        case "self", "SELF": (self, ())
        case "objectID": (objectID, ())
        case "entity": (entity, ())
        case "isInserted": (NSNumber(value: isInserted), ())
        case "isUpdated": (NSNumber(value: isUpdated), ())
        case "isDeleted": (NSNumber(value: isDeleted), ())
        case "isFault": (NSNumber(value: isFault), ())
        case "hasChanges": (NSNumber(value: hasChanges), ())
        default: nil
        }
    }

    private func fetchedObjects(_ slot: Int) -> [NSManagedObject] {
        guard let property = table.layout.properties[slot] as? NSFetchedPropertyDescription, let owner = table.owner
        else {
            return []
        }
        let ordinal = Int(table.layout[slot].ordinal)
        let objectExtension = extensionMade
        if objectExtension.fetched.isEmpty {
            objectExtension.fetched = .init(repeating: nil, count: table.layout.relationshipCount)
        }
        if let known = objectExtension.fetched[ordinal] { return known }
        let objects = owner.fetchedValue(property, for: self)
        objectExtension.fetched[ordinal] = objects
        return objects
    }

    private static func object(in value: Any?, _ key: String) -> NSManagedObject? {
        guard let value, !(value is NSNull) else { return nil }
        if let object = value as? NSManagedObject { return object }
        if Snapshot.unwrapped(value) == nil { return nil }
        preconditionFailure("'\(key)' is a to-one relationship: it holds a managed object, not a \(type(of: value))")
    }

    private static func objects(in value: Any?, _ key: String) -> [NSManagedObject] {
        let members: [Any]
        switch Snapshot.unwrapped(value) {
        case nil: return []
        case let set as NSSet: members = set.allObjects
        case let set as NSOrderedSet: members = set.array
        case let array as [NSManagedObject]: return array
        case let set as Set<NSManagedObject>: return Array(set)
        case let array as [Any]: members = array
        case let value?:
            preconditionFailure(
                "'\(key)' is a to-many relationship: it holds a set of managed objects, not a \(type(of: value))")
        }
        return members.map { member in
            guard let object = member as? NSManagedObject else {
                preconditionFailure("'\(key)' is a to-many relationship: a \(type(of: member)) cannot be a member")
            }
            return object
        }
    }
}

extension NSManagedObject {
    /// Whether the links of a to-many relationship are stored with this object, which they are unless its inverse is
    /// to-one.
    final func ownsLinks(_ slot: Int) -> Bool {
        table.layout.relationship(slot)?.mutualInverse.map(\.isToMany) ?? true
    }

    final func memberValue(_ slot: Int) -> ToManyValue? { objectExtension?.members[Int(table.layout[slot].ordinal)] }

    final func setMemberValue(_ value: ToManyValue?, _ slot: Int) {
        announcing(slot) { extensionMade.members[Int(table.layout[slot].ordinal)] = value }
    }
}
