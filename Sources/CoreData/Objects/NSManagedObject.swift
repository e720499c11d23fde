// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One record in one context: its storage, its identity, its state.

import CRuntime
public import CoreDataFoundation
public import Foundation
import Synchronization

/// An object that a context manages: the values of a record, read when first needed, with tracked changes.
///
/// Write a subclass for each entity. `@ManagedObject` of `CoreDataModeling` makes the properties, and the model from
/// the classes; generated classes and `value(forKey:)` do the same for a model from a file.
///
/// ```swift
/// @ManagedObject final class Memo: NSManagedObject {
///     var title: String = ""
///     var text: String?
///     @Attribute(.indexed) var isPinned: Bool = false
///     var created: Date?
///     @Relationship(inverse: "notes") var folder: Folder?
///     @Relationship(inverse: "notes") var tags: Set<Tag>
///
///     override func awakeFromInsert() {
///         super.awakeFromInsert()
///         created = Date()
///     }
/// }
/// ```
///
/// Instances come from `init(context:)`, from a fetch, or by following a relationship. A context has one instance for a
/// record. Subclasses may add stored properties (with defaults) and override the life-cycle methods, calling super.
///
/// A property cannot throw: if the row of a fault cannot be read, it reads as nil or as the zero of its type, and the
/// context's next `save()` throws 134030. If the record is gone, the object is marked as deleted.
///
/// - Important: an object belongs to the queue of its context; only `objectID`, `entity` and `managedObjectContext` may
///   be read elsewhere. Give ids or values to other queues.
/// - Complexity: reading an attribute costs no look-up once the object is no fault. Related objects that were followed
///   are held until `NSManagedObjectContext.refresh(_:mergeChanges:)` or `NSManagedObjectContext.reset()`.
/// - SeeAlso: `NSManagedObjectContext`, `NSManagedObjectID`, `NSEntityDescription`.
/// - Source: Core Data Programming Guide, "Creating and Saving Managed Objects".
open class NSManagedObject: NSObject, MetatypeInitializing, ObjectAdopting {
    // Exactly five fields: the table that all objects of its entity share, the row (one immutable block, see
    // `Snapshot`), the key, an extension for state that few objects need, and flags. `ObjectFlags` has the rules about
    // their states.

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
    ///   - context: nil makes an object without a context; it may be inserted later.
    /// - Important: call on the context's queue. Traps for an abstract entity, and for an entity that the context's
    ///   model lacks.
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let ticket = CreationTicket.take(for: Self.self) {
            countedTable = Counted(ticket.pointee.table)
            key = ticket.pointee.key
            countedRow = Counted(ticket.pointee.row)
            countedExtension = Counted(ObjectExtension?.none)
            flags = ticket.pointee.table.look { $0.classFlags(Self.self) }.union(.fault)
            super.init()
            // Before the initializer of a subclass continues: it may read properties.
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

    /// Calls the class's own `init(entity:insertInto:)`. Called only through `create(_:_:)`, which is this initializer
    /// under another type (`NSManagedObject+Creation`).
    @_silgen_name("ocd_create_managed_object")
    convenience init(created entity: NSEntityDescription, _ context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }

    /// Makes an object without a context. Its entity is the one that `entity()` finds for the class, or, if no model in
    /// use has one, an entity without properties. A plain `NSManagedObject()` never has properties.
    ///
    /// For source compatibility; prefer `init(context:)`.
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
        // Before the table is released, which may hold the last reference to the layout: a snapshot needs its layout to
        // be deallocated.
        countedRow.object = nil
        if countedExtension.uncounted != nil { NestedReleases.release(&countedExtension, before: &countedTable) }
    }

    // MARK: Storage

    /// The data shared by all objects of the same entity, store and context.
    final var table: ObjectTable {
        @inline(__always) get { heldTable.object }
        set { countedTable.object = newValue }
    }

    /// The table, for reading without retaining it: valid until the object gets another one.
    @inline(__always) final var heldTable: Uncounted<ObjectTable> { countedTable.uncounted.unsafelyUnwrapped }

    /// Sets a new table that retains the previous one, because another thread may be reading an id through the previous
    /// one (Objects-T1).
    @inline(__always) final func take(_ newTable: ObjectTable) {
        newTable.succeed(heldTable)
        table = newTable
    }

    /// The row; nil for a fault without a known row.
    final var snapshot: Snapshot? {
        @inline(__always) get { countedRow.object }
        set { countedRow.object = newValue }
    }

    /// The row, for reading without retaining it: valid until the object gets another one.
    @inline(__always) final var heldRow: Uncounted<Snapshot>? { countedRow.uncounted }

    final var storedExtension: ObjectExtension? {
        @inline(__always) get { countedExtension.object }
        set { countedExtension.object = newValue }
    }

    /// The extension, for reading without retaining it: valid until the object gets another one.
    @inline(__always) final var heldExtension: Uncounted<ObjectExtension>? { countedExtension.uncounted }

    /// The position of a slot in the block.
    @inline(__always) final func place(_ slot: Int) -> SlotDescriptor { heldTable.look { $0.layout[slot] } }

    /// Whether the object is in a context.
    @inline(__always) final var hasOwner: Bool { heldTable.look { $0.ownerName != nil } }

    /// Sets a row that the caller retains during the call.
    @inline(__always) final func prime(_ row: Uncounted<Snapshot>?) { countedRow.set(row) }

    // MARK: Identity

    /// The entity of this class in the models that coordinators use.
    ///
    /// If no model in use has an entity of this class, this logs a warning and returns an entity without properties and
    /// without a model.
    open class func entity() -> NSEntityDescription { EntityLookup.entity(for: self) }

    /// A request for all objects of this class's entity.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
    }

    /// The context; nil for an object without a context: its context was deallocated or reset, or its deletion is
    /// saved.
    open var managedObjectContext: NSManagedObjectContext? { table.owner as? NSManagedObjectContext }

    /// The object's entity.
    public final var entity: NSEntityDescription { table.layout.entity }

    /// The object's id: temporary until the object is first saved, permanent from then on.
    ///
    /// Use it to name the record in another context, on another thread, or in a file.
    ///
    /// ```swift
    /// let id = note.objectID  // permanent, because the note is saved
    /// try await background.perform {
    ///     (background.object(with: id) as? Memo)?.title = "Grocery list"
    ///     try background.save()
    /// }
    /// ```
    ///
    /// - Important: may be read on any thread. A temporary id ends with the program;
    ///   `NSManagedObjectContext.obtainPermanentIDs(for:)` gives a permanent one before the save.
    /// - Complexity: makes a new value at each call, which equals the others: compare ids with `==`, not with `===`.
    /// - SeeAlso: `NSManagedObjectID`, `NSManagedObjectContext.object(with:)`,
    ///   `NSManagedObjectContext.existingObject(with:)`.
    open var objectID: NSManagedObjectID { ownID }

    /// The id as this framework uses it: an override of `objectID` has no effect.
    final var ownID: NSManagedObjectID {
        if key < 0, !flags.contains(.inserted) { table.owner?.learnKeys() }
        // Created anew each time, because anything that caches it here may change on the context's queue during the
        // call. First the key, then the table (Objects-T2).
        let key = key
        atomicMemoryFence(ordering: .acquiring)
        return heldTable.look { NSManagedObjectID(layout: $0.layout, key: key, home: key < 0 ? nil : $0.home) }
    }

    /// By identity, like `isEqual(_:)`. Sets hash the result again.
    open override var hash: Int { Int(bitPattern: Uncounted(self).address) }

    // MARK: Generated classes

    /// The properties that a class was generated with, in the order of their slots; see `SlotSignature`. Empty for
    /// classes that were written by hand.
    open class var _slots: StaticString { "" }

    /// The declaration that `@ManagedObject` made for the class, or for the nearest superclass that has one; nil for
    /// other classes.
    open class var _declaration: (any _ManagedClassDeclaration)? { nil }

    // MARK: Its state

    /// Whether it will be inserted by the next save.
    public final var isInserted: Bool { flags.contains(.inserted) && hasOwner }
    /// Whether it has unsaved changes. `false` for insertions and deletions.
    public final var isUpdated: Bool { flags.contains(.updated) && !flags.contains(.deleted) }
    /// Whether it will be deleted by the next save. `false` again after that save.
    open var isDeleted: Bool { isMarkedDeleted }

    /// Whether the next save inserts, updates or deletes the object.
    ///
    /// ```swift
    /// note.title = "Grocery list"
    /// print(note.changedValues())  // ["title": "Grocery list"]
    /// print(note.committedValues(forKeys: ["title"]))  // ["title": "Groceries"]
    /// if note.hasChanges { try context.save() }
    /// print(note.changedValues())  // [:]
    /// ```
    ///
    /// It stays `true` for a property that was set back to its saved value, and for a change of a transient property:
    /// `hasPersistentChangedValues` compares the values.
    ///
    /// - Important: read on the queue of the context. `false` for an object in no context.
    /// - Complexity: one test of flags; never fires a fault.
    /// - SeeAlso: `changedValues()`, `hasPersistentChangedValues`, `NSManagedObjectContext.hasChanges`.
    open var hasChanges: Bool { isUnsaved }
    /// `isDeleted` as this framework uses it: an override has no effect.
    final var isMarkedDeleted: Bool { flags.contains(.deleted) && hasOwner }
    /// `hasChanges` as this framework uses it: an override has no effect.
    final var isUnsaved: Bool { isInserted || isUpdated || isMarkedDeleted }

    /// Whether the values have not been read yet.
    ///
    /// A fault has an id and an entity. The first access to a property gives it its values and calls
    /// `awakeFromFetch()`.
    ///
    /// ```swift
    /// let note = context.object(with: id)
    /// print(note.isFault)  // true
    /// print(note.value(forKey: "title") ?? "")  // reads the row
    /// print(note.isFault)  // false
    /// ```
    ///
    /// - Important: read on the queue of the context; reading it fires nothing. The values can be read without a
    ///   statement if a fetch or another context of the coordinator read the row before.
    /// - SeeAlso: `hasFault(forRelationshipNamed:)`, `NSFetchRequest.returnsObjectsAsFaults`,
    ///   `NSManagedObjectContext.refresh(_:mergeChanges:)`.
    /// - Source: Core Data Programming Guide, "Faulting and Uniquing".
    public final var isFault: Bool { flags.contains(.fault) }
    /// 1 for a fault, 0 otherwise.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Whether the members of a to-many relationship, or the destination of a to-one relationship, have not been looked
    /// up yet. Never fires a fault.
    ///
    /// Traps if the entity has no relationship with that name.
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

    /// Called when the object has been inserted for the first time: once in the life of a record. Override it to set
    /// initial values that a model cannot state.
    ///
    /// ```swift
    /// override func awakeFromInsert() {
    ///     super.awakeFromInsert()
    ///     created = Date()
    /// }
    /// ```
    ///
    /// Default values of the model are set before the call. It is not called for a fetched object (`awakeFromFetch()`
    /// is), for an insertion that undo brings back, and in a parent context that takes the insertion over. A batch
    /// insertion calls no method of the life cycle.
    ///
    /// - Important: call super first. Called on the context's queue, within `init(context:)`: values that the caller
    ///   sets come later.
    /// - SeeAlso: `awakeFromFetch()`, `willSave()`, `NSAttributeDescription.defaultValue`.
    open func awakeFromInsert() {}
    /// Called after a fault has received its values. Setting relationships here does not update their inverses.
    open func awakeFromFetch() {}
    /// Called after undo, rollback or a refresh has restored other values.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called when the object is about to be marked for deletion; its relationships are still there.
    ///
    /// Override it to adjust related objects, or to delete further ones.
    ///
    /// ```swift
    /// override func prepareForDeletion() {
    ///     super.prepareForDeletion()
    ///     if !isDeleted { binder?.scanCount -= 1 }  // a second delete(_:) calls this method again
    /// }
    /// ```
    ///
    /// The deletion is not saved yet, and `rollback()` may revoke it: for irreversible work prefer `didSave()` with a
    /// note that was made here.
    ///
    /// - Important: call super. Called on the context's queue, by `NSManagedObjectContext.delete(_:)` at once, by a
    ///   cascade at the end of the event. A second call of `delete(_:)` calls it again; `isDeleted` is `true` then.
    ///   Batch requests do not call it.
    /// - SeeAlso: `validateForDelete()`, `NSManagedObjectContext.delete(_:)`, `didSave()`.
    open func prepareForDeletion() {}

    /// Called before the object is saved, inserted, updated or deleted. Changes made here are part of the same save.
    ///
    /// ```swift
    /// override func willSave() {
    ///     super.willSave()
    ///     guard !isDeleted, changedValues()["modified"] == nil else { return }  // the program set it
    ///     modified = Date()
    /// }
    /// ```
    ///
    /// `changedValues()` has the program's changes, so that the method can leave them as they are. The object's own
    /// changes cause no second call; an object that another one's `willSave()` changes is called again. After 1,000
    /// rounds of new changes the save throws 134030.
    ///
    /// - Important: call super. Called on the context's queue, before validation. `save()` throws 134060 in it. To set
    ///   a value without recording a change use `setPrimitiveValue(_:forKey:)`.
    /// - Complexity: one call for each changed object; a class without an override costs nothing.
    /// - SeeAlso: `didSave()`, `validateForUpdate()`, `NSManagedObjectContext.save()`.
    open func willSave() {}
    /// Called after the object has been saved.
    open func didSave() {}
    /// Called when the context starts or stops retaining the object for its unsaved changes. For internal use only.
    open func _heldByContext(_ isHeld: Bool) {}
    /// Called when the object releases the destinations of its relationships. For internal use only.
    open func _lettingGoOfOthers() {}
    /// Called before the object's values are released.
    open func willTurnIntoFault() {}
    /// Called after the object's values have been released.
    open func didTurnIntoFault() {}

    // MARK: Key-value coding and validation, to be overridden; the extensions describe the defaults

    /// The value of a property, by name.
    ///
    /// - Returns: numbers as `NSNumber`, decimals as `NSDecimalNumber`, to-many relationships as `NSSet` or
    ///   `NSOrderedSet`, other values as Swift values.
    open func value(forKey key: String) -> Any? { codedValue(forKey: key) }
    /// Sets a property by name; updates the inverse of a relationship, and records the change.
    ///
    /// Traps if the property cannot hold a value of this type.
    open func setValue(_ value: Any?, forKey key: String) { setCodedValue(value, forKey: key) }
    /// Called for a key that the entity does not have. Traps unless overridden.
    open func value(forUndefinedKey key: String) -> Any? {
        preconditionFailure("'\(entity.name ?? "")' has no property '\(key)'.\(table.layout.names(near: key))")
    }
    /// Called for a key that the entity does not have. Traps unless overridden.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        preconditionFailure("'\(entity.name ?? "")' has no property '\(key)' to set.\(table.layout.names(near: key))")
    }
    /// Checks one value against the rules of the model; may replace it by one that conforms. Does not change the
    /// object's value.
    ///
    /// An override for additional rules checks `key` and calls super. Before a save it is called for every persistent
    /// property; if it replaces a value, the object gets the new one.
    ///
    /// - Parameters:
    ///   - value: if it is of another class that the attribute can convert (a number of another kind, `NSNull` for
    ///     nil), it is replaced by a value of the attribute's class.
    ///   - key: a property of the entity; other keys are not checked.
    /// - Throws: a Cocoa error with one of the validation codes (1550 to 1680); 1560 if several rules are broken.
    open func validateValue(_ value: inout Any?, forKey key: String) throws { try validate(&value, key) }

    /// Checks everything before the object is first saved: each property against the rules of the model. Override it
    /// for rules that concern several properties.
    ///
    /// ```swift
    /// override func validateForInsert() throws {
    ///     try super.validateForInsert()
    ///     try checkOrder()
    /// }
    ///
    /// override func validateForUpdate() throws {
    ///     try super.validateForUpdate()
    ///     try checkOrder()
    /// }
    ///
    /// private func checkOrder() throws {
    ///     guard end < start else { return }
    ///     throw CocoaError(
    ///         .managedObjectValidation, userInfo: [NSLocalizedDescriptionKey: "The meeting ends before it begins."])
    /// }
    /// ```
    ///
    /// Throw an error of any kind: `save()` passes it on unchanged, or under `NSDetailedErrorsKey` of a 1560 if there
    /// are several.
    ///
    /// - Throws: 1570 for a missing mandatory value, 1550 to 1680 for a broken rule; 1560 if there are several.
    ///   `CocoaError.validationKey` and `validationObject` name property and object.
    /// - Important: call super first; it reports the rules of the model. Called on the context's queue, after
    ///   `willSave()`. Uniqueness is not checked here: the save throws 133021.
    /// - Complexity: one pass over the properties; without overrides of `validateValue(_:forKey:)` no value is boxed.
    /// - SeeAlso: `validateForUpdate()`, `validateForDelete()`, `validateValue(_:forKey:)`.
    /// - Source: Core Data Programming Guide, "Object Validation".
    open func validateForInsert() throws { try validateProperties(forInsertion: true) }
    /// Checks everything before changes are saved. An override calls super.
    open func validateForUpdate() throws { try validateProperties(forInsertion: false) }
    /// Checks that no Deny rule blocks the deletion. An override calls super.
    open func validateForDelete() throws { try validateDenyRules() }
    /// Announces that a property is about to be read; fires a fault.
    ///
    /// - Parameter key: nil fires a fault as well.
    open func willAccessValue(forKey key: String?) {
        if let key { willRead(key) }
        fireFault(key)
    }
    /// Ends the access that `willAccessValue(forKey:)` began.
    open func didAccessValue(forKey key: String?) {}
    /// Announces that a property is about to change; custom accessors call it around `setPrimitiveValue(_:forKey:)`.
    ///
    /// ```swift
    /// set {
    ///     willChangeValue(forKey: "author")
    ///     setPrimitiveValue(newValue, forKey: "author")
    ///     didChangeValue(forKey: "author")
    /// }
    /// ```
    open func willChangeValue(forKey key: String) { beginChange(key) }
    /// Completes the change: records it, and updates the inverses of a relationship.
    open func didChangeValue(forKey key: String) { endChange(key) }
    /// Announces a change of a to-many relationship's members. Add them to the mutable set that
    /// `primitiveValue(forKey:)` returns, or remove them from it.
    open func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) { beginChange(inKey, MemberChange(inMutationKind, inObjects)) }
    /// Completes a change of a to-many relationship's members, as `didChangeValue(forKey:)` does.
    open func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) { endChange(inKey) }
    /// Announces a change of an ordered to-many relationship's members. Insert them into the mutable ordered set that
    /// `primitiveValue(forKey:)` returns, or remove them from it.
    open func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        beginChange(key)
    }
    /// Completes a change of an ordered to-many relationship's members, as `didChangeValue(forKey:)` does.
    open func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        endChange(key)
    }

    open override var description: String {
        let state =
            isFault ? "fault" : hasChanges ? (isDeleted ? "deleted" : isInserted ? "inserted" : "updated") : "clean"
        return "<\(type(of: self)): \(objectID.uriRepresentation().absoluteString), \(state)>"
    }
}

/// The events that cause a call of `awake(fromSnapshotEvents:)`.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits of the events.
    public let rawValue: UInt
    /// Creates events from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Undo or redo has removed the object again: its insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 2)
    /// Undo or redo has restored the object: its deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 4)
    /// Undo or redo has restored other values of the object.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 8)
    /// `rollback()` has restored the saved values.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// A refresh or a merge of another context's save has set newer values.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A merge policy has set all or some values to those of the store.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}

/// The kinds of changes of a set.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// The objects are added.
    case union = 1
    /// The objects are removed.
    case minus = 2
    /// All members except the objects are removed.
    case intersect = 3
    /// The objects replace all members.
    case set = 4
}
