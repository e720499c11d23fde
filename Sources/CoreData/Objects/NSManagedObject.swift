// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One record in one context: its storage, its identity, its state.

import CRuntime
public import CoreDataFoundation
public import Foundation
import Synchronization

/// An object that a context manages: a record's values, faulted in when they are needed, tracked when they change.
///
/// An object belongs to the queue of its context; only `objectID` may be read elsewhere. Instances come from
/// `init(context:)`, from a fetch, or by following a relationship. Subclasses may add stored properties (with
/// defaults) and override the life-cycle methods.
///
/// # Storage Exactly five fields: the table that all objects of its entity share, the row (one immutable block, see
/// `Snapshot`), the key, an extension for state that few objects need, and flags. The rules about their states are in
/// `ObjectFlags`.
open class NSManagedObject: NSObject, MetatypeInitializing, ObjectAdopting {
    /// Always has a table.
    @exclusivity(unchecked) private final var countedTable: Counted<ObjectTable>
    @exclusivity(unchecked) private final var countedRow: Counted<Snapshot>
    /// Negative until the object has a row.
    @exclusivity(unchecked) final var key: Int64
    /// Read and written through `objectExtension`.
    @exclusivity(unchecked) private final var countedExtension: Counted<ObjectExtension>
    @exclusivity(unchecked) final var flags: ObjectFlags

    /// Makes an object of an entity and inserts it.
    ///
    /// - Parameters:
    ///   - entity: an entity of the context's model; not an abstract one.
    ///   - context: nil makes an object that is in no context; it may be inserted later.
    /// - Important: call on the context's queue. Traps for an abstract entity and for one that the context's model
    ///   lacks.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let ticket = CreationTicket.take(for: Self.self) {
            countedTable = Counted(ticket.pointee.table)
            key = ticket.pointee.key
            countedRow = Counted(ticket.pointee.row)
            countedExtension = Counted(ObjectExtension?.none)
            flags = ticket.pointee.table.look { $0.classFlags(Self.self) }.union(.fault)
            super.init()
            // Before a subclass's initializer goes on: it may read properties.
            heldTable.look { $0.identityMap.register(self, key) }
            return
        }
        let table = NSManagedObject.insertionTable(of: entity, in: context)
        let heldTable = table.uncounted.unsafelyUnwrapped
        countedTable = table
        key = TemporaryKey.next()
        countedRow = Counted(heldTable.look { $0.layout.defaults?.copy() ?? .make($0.layout) })
        countedExtension = Counted(ObjectExtension?.none)
        flags = [.inserted, .ownsSnapshot, heldTable.look { $0.classFlags(Self.self) }]
        super.init()
        if let context { (context as any ObjectOwner).enter(self) }
    }

    /// Calls the class's own `init(entity:insertInto:)`; called through `create(_:_:)` alone, which is this initializer
    /// under another type (`NSManagedObject+Creation`).
    @_silgen_name("ocd_create_managed_object")
    convenience init(created entity: NSEntityDescription, _ context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }

    /// Makes an object that is in no context: of the entity that `entity()` finds for the class, or, where a model in
    /// use has none, of one without properties. A plain `NSManagedObject()` never has any.
    ///
    /// It compiles as on a Mac, but is hardly ever what one wants: use `init(context:)`.
    public convenience override init() {
        let entity = Self.self == NSManagedObject.self ? nil : EntityLookup.knownEntity(for: Self.self)
        self.init(entity: entity ?? EntityLookup.emptyEntity(), insertInto: nil)
    }

    deinit {
        heldTable.look { table in
            if flags.contains(.followed) {
                table.followed.forget(self, key, registeredIn: table.identityMap)
            } else {
                table.identityMap.unregister(self, key)
            }
        }
        // Before the table goes, which may hold the layout last: a snapshot looks into its layout when it goes.
        countedRow.object = nil
        if countedExtension.uncounted != nil { NestedReleases.release(&countedExtension, before: &countedTable) }
    }

    // MARK: Storage

    /// The data that all objects of its entity, store and context share.
    final var table: ObjectTable {
        @inline(__always) get { heldTable.object }
        set { countedTable.object = newValue }
    }

    /// The table, to be read without counting a reference: valid until the object gets another one.
    @inline(__always) final var heldTable: Uncounted<ObjectTable> { countedTable.uncounted.unsafelyUnwrapped }

    /// Changes the table to one that holds the table before: another thread may be reading an id through that one
    /// (Objects-T1).
    @inline(__always) final func take(_ newTable: ObjectTable) {
        newTable.succeed(heldTable)
        table = newTable
    }

    /// The row; nil of a fault that nothing is known of.
    final var snapshot: Snapshot? {
        @inline(__always) get { countedRow.object }
        set { countedRow.object = newValue }
    }

    /// The row, to be read without counting a reference: valid until the object gets another one.
    @inline(__always) final var heldRow: Uncounted<Snapshot>? { countedRow.uncounted }

    final var storedExtension: ObjectExtension? {
        @inline(__always) get { countedExtension.object }
        set { countedExtension.object = newValue }
    }

    /// The extension, to be read without counting a reference: valid until the object gets another one.
    @inline(__always) final var heldExtension: Uncounted<ObjectExtension>? { countedExtension.uncounted }

    /// Where a slot lies.
    @inline(__always) final func place(_ slot: Int) -> SlotPlace { heldTable.look { $0.layout[slot] } }

    /// Whether it is in a context.
    @inline(__always) final var hasOwner: Bool { heldTable.look { $0.ownerName != nil } }

    /// Takes a row that somebody holds meanwhile.
    @inline(__always) final func prime(_ row: Uncounted<Snapshot>?) { countedRow.set(row) }

    // MARK: Identity

    /// The entity of this class, in the models that coordinators use.
    ///
    /// Where no model in use has an entity of this class, the log says so, and the entity has no properties and
    /// belongs to no model.
    open class func entity() -> NSEntityDescription { EntityLookup.entity(for: self) }

    /// A request for all objects of this class's entity.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
    }

    /// The context; nil for an object that is in none any more: its context is gone or was reset, or its deletion is
    /// saved.
    open var managedObjectContext: NSManagedObjectContext? { table.owner as? NSManagedObjectContext }

    /// The object's entity.
    public final var entity: NSEntityDescription { table.layout.entity }

    /// The object's id: temporary until it is first saved. May be read on any thread.
    open var objectID: NSManagedObjectID { ownID }

    /// The id for this framework: no override of `objectID` takes part.
    final var ownID: NSManagedObjectID {
        if key < 0, !flags.contains(.inserted) { table.owner?.learnKeys() }
        // Made anew each time: whatever would keep it here may change on the context's queue meanwhile. First the
        // key, then the table (Objects-T2).
        let key = key
        atomicMemoryFence(ordering: .acquiring)
        return heldTable.look { NSManagedObjectID(layout: $0.layout, key: key, home: key < 0 ? nil : $0.home) }
    }

    /// By identity, as `isEqual(_:)` compares. Sets hash it once more.
    open override var hash: Int { Int(bitPattern: Uncounted(self).address) }

    // MARK: Generated classes

    /// The properties that a generated class was written with, in the order of their slots; see `SlotSignature`.
    /// Empty for classes that were written by hand.
    open class var _slots: StaticString { "" }

    /// The declaration that `@ManagedObject` made of the class, or of the nearest superclass that has one; nil for
    /// others.
    open class var _declaration: (any _ManagedClassDeclaration)? { nil }

    // MARK: Its state

    /// Whether it will be inserted by the next save.
    public final var isInserted: Bool { flags.contains(.inserted) && hasOwner }
    /// Whether it has unsaved changes. Insertions and deletions are none.
    public final var isUpdated: Bool { flags.contains(.updated) && !flags.contains(.deleted) }
    /// Whether it will be deleted by the next save. `false` again once that is done.
    open var isDeleted: Bool { isMarkedDeleted }
    /// Whether it is inserted, updated or deleted.
    open var hasChanges: Bool { isUnsaved }
    /// `isDeleted` for this framework: no override takes part.
    final var isMarkedDeleted: Bool { flags.contains(.deleted) && hasOwner }
    /// `hasChanges` for this framework: no override takes part.
    final var isUnsaved: Bool { isInserted || isUpdated || isMarkedDeleted }
    /// Whether its values have not been read yet.
    public final var isFault: Bool { flags.contains(.fault) }
    /// 0 while it is no fault.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Whether the members of a to-many, or the destination of a to-one, have not been looked up yet. Never fires a
    /// fault.
    ///
    /// Traps when the entity has no relationship of that name.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        checkOwnership()
        let slot = relationshipSlot(key)
        let place = table.layout[slot]
        if isFault { return true }
        if place.kind == .toMany {
            return objectExtension?.members[Int(place.ordinal)]?.isFault ?? !flags.contains(.inserted)
        }
        guard snapshot?.isNull(slot) == false else { return false }
        return objectExtension?.destinations[Int(place.ordinal)]?.isFault ?? true
    }

    // MARK: Life cycle, to be overridden

    /// The object has been inserted for the first time. Called once in the life of a record.
    open func awakeFromInsert() {}
    /// A fault has received its values. Changes made here to relationships' inverses are not kept in step.
    open func awakeFromFetch() {}
    /// Undo, rollback or a refresh has put back other values.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
    /// `delete(_:)` was called; relationships are still there.
    open func prepareForDeletion() {}
    /// It is about to be saved. Changes made here are saved too.
    open func willSave() {}
    /// It has been saved.
    open func didSave() {}
    /// The context begins to hold it for its unsaved changes, or holds it no more. Not for use by hand.
    open func _heldByContext(_ isHeld: Bool) {}
    /// It forgets the objects that its relationships lead to. Not for use by hand.
    open func _lettingGoOfOthers() {}
    /// Its values are about to be let go.
    open func willTurnIntoFault() {}
    /// Its values are gone.
    open func didTurnIntoFault() {}

    // MARK: Key-value coding and validation, to be overridden; the extensions describe the defaults

    /// The value of a property, by name.
    ///
    /// - Returns: numbers as `NSNumber`, decimals as `NSDecimalNumber`, to-manys as `NSSet` or `NSOrderedSet`, the rest
    ///   as Swift values.
    open func value(forKey key: String) -> Any? { codedValue(forKey: key) }
    /// Sets a property by name; both ends of a relationship are kept in step, and the change is recorded.
    ///
    /// Traps when the value's type is none that the property can hold.
    open func setValue(_ value: Any?, forKey key: String) { setCodedValue(value, forKey: key) }
    /// Called for a name that the entity does not have. Traps unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        preconditionFailure("'\(entity.name ?? "")' has no property '\(key)'; it has \(table.layout.propertyList)")
    }
    /// Called for a name that the entity does not have. Traps unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        preconditionFailure(
            "'\(entity.name ?? "")' has no property '\(key)' to set; it has \(table.layout.propertyList)")
    }
    /// Checks one value against the rules of the model; may replace it by one that conforms. The object keeps its
    /// value.
    ///
    /// An override for rules of one's own checks `key` and calls super. Before a save it is called for every property
    /// that is kept in a store; a value that it replaces is set.
    ///
    /// - Parameters:
    ///   - value: of another class that the attribute can hold (a number of another kind, `NSNull` for nil), it is
    ///     replaced by one of the attribute's own.
    ///   - key: a property of the entity; nothing is known, and nothing said, of other keys.
    /// - Throws: a Cocoa error with one of the validation codes (1550 to 1680); 1560 if several rules are broken.
    open func validateValue(_ value: inout Any?, forKey key: String) throws { try validate(&value, key) }
    /// Checks everything before the object is first saved. An override calls super.
    open func validateForInsert() throws { try validateProperties(forInsertion: true) }
    /// Checks everything before changes are saved. An override calls super.
    open func validateForUpdate() throws { try validateProperties(forInsertion: false) }
    /// Checks that no Deny rule stands against the deletion. An override calls super.
    open func validateForDelete() throws { try validateDenyRules() }
    /// Announces that a property is about to be read; a fault is fired.
    ///
    /// - Parameter key: nil fires a fault as well.
    open func willAccessValue(forKey key: String?) {
        if let key { willRead(key) }
        fireFault(key)
    }
    /// Ends the access that `willAccessValue(forKey:)` began.
    open func didAccessValue(forKey key: String?) {}
    /// Announces that a property is about to change; accessors of one's own call it around
    /// `setPrimitiveValue(_:forKey:)`.
    ///
    /// ```swift
    /// set {
    ///     willChangeValue(forKey: "author")
    ///     setPrimitiveValue(newValue, forKey: "author")
    ///     didChangeValue(forKey: "author")
    /// }
    /// ```
    open func willChangeValue(forKey key: String) { beginChange(key) }
    /// Completes the change: it is recorded, and of a relationship the other ends are updated.
    open func didChangeValue(forKey key: String) { endChange(key) }
    /// Announces a change of a to-many's members, which are added to the mutable set that `primitiveValue(forKey:)`
    /// gives, or removed from it.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) { beginChange(inKey, MemberChange(inMutationKind, inObjects)) }
    /// Completes a change of a to-many's members, as `didChangeValue(forKey:)` does.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) { endChange(inKey) }
    /// Announces a change of an ordered to-many's members, which are inserted into the mutable ordered set that
    /// `primitiveValue(forKey:)` gives, or removed from it.
    open func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        beginChange(key)
    }
    /// Completes a change of an ordered to-many's members, as `didChangeValue(forKey:)` does.
    open func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        endChange(key)
    }

    open override var description: String {
        let state =
            isFault ? "fault" : hasChanges ? (isDeleted ? "deleted" : isInserted ? "inserted" : "updated") : "clean"
        return "<\(type(of: self)): \(objectID.uriRepresentation().absoluteString), \(state)>"
    }
}

/// Why `awake(fromSnapshotEvents:)` is called.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits of the events.
    public let rawValue: UInt
    /// Creates events from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Undo or redo has removed the object again: its insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 2)
    /// Undo or redo has brought the object back: its deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 4)
    /// Undo or redo has put back other values of the object.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 8)
    /// `rollback()` has put back the saved values.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// A refresh or a merge of another context's save has put newer values in place.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A merge policy has put the values of the store in place, in full or in part.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}

/// How a set changes.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// The objects are added.
    case union = 1
    /// The objects are removed.
    case minus = 2
    /// All others than the objects are removed.
    case intersect = 3
    /// The objects replace all members.
    case set = 4
}
