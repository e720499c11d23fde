// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Functions for the getters of generated classes. For generated code only: see
// Documentation/Internals/GeneratedAccess.md.

import CRuntime
public import Foundation

extension NSManagedObject {
    /// Whether a getter may read the block by slot: the slots match the generated class, and the object is not a fault,
    /// or its fault was fired here after noting the read. Otherwise the getter finds the property by its name.
    @inline(__always) private final func canRead(_ key: StaticString) -> Bool {
        guard flags.intersection(.readStates) == .slotsMatch, !recordsReads else {
            return prepareRead(key)
        }
        checkOwnership()
        return true
    }

    @inline(never) private final func prepareRead(_ key: StaticString) -> Bool {
        guard flags.contains(.slotsMatch) else { return false }
        if recordsReads { noteRead(key.description) }
        checkOwnership()
        fireFault(nil)
        return true
    }

    @inline(never) private final func named<Value>(_ key: StaticString) -> Value? {
        if let value = codedValue(forKey: key.description) as? Value { return value }
        return ocd_anything_records() ? recordedValue(key) : nil
    }

    private final func recordedValue<Value>(_ key: StaticString) -> Value? {
        ReadRecorder.current?.value(of: self, key.description, as: Value.self) as? Value
    }

    /// The value of a property that the generator knows only by name; nil if the property has no value, or one of
    /// another type.
    public final func _named<Value>(_ key: StaticString) -> Value? { named(key) }

    /// Traps: the class declares the property as never nil, but it has no value, or one of another type.
    public final func _missing<Value>(_ key: StaticString) -> Value {
        preconditionFailure(
            "'\(table.layout.name).\(key)' has no \(Value.self), but \(type(of: self)) declares that it always has one: set it in "
                + "`awakeFromInsert()`, give it a default value in the model, or declare it optional.")
    }

    /// The value of an integer attribute; nil if it has none. Fires the fault.
    public final func _integer(_ slot: Int, _ key: StaticString) -> Int64? {
        guard canRead(key) else { return (named(key) as NSNumber?)?.int64Value }
        return heldRow?.look { $0.isNull(slot) ? nil : $0.integer(slot) }
    }

    /// The value of a Boolean attribute; nil if it has none. Fires the fault.
    public final func _boolean(_ slot: Int, _ key: StaticString) -> Bool? {
        guard canRead(key) else { return (named(key) as NSNumber?)?.boolValue }
        return heldRow?.look { $0.isNull(slot) ? nil : $0.boolean(slot) }
    }

    /// The value of a float or double attribute; nil if it has none. Fires the fault.
    public final func _double(_ slot: Int, _ key: StaticString) -> Double? {
        guard canRead(key) else { return (named(key) as NSNumber?)?.doubleValue }
        return heldRow?.look { $0.isNull(slot) ? nil : $0.double(slot) }
    }

    /// The value of a date attribute; nil if it has none. Fires the fault.
    public final func _date(_ slot: Int, _ key: StaticString) -> Date? {
        guard canRead(key) else { return named(key) }
        return heldRow?.look { $0.isNull(slot) ? nil : Date(timeIntervalSinceReferenceDate: $0.double(slot)) }
    }

    /// The value of a string attribute; nil if it has none. Fires the fault.
    public final func _string(_ slot: Int, _ key: StaticString) -> String? {
        guard canRead(key) else { return named(key) }
        return heldRow?.look { $0.isNull(slot) ? nil : $0.string(slot) }
    }

    /// The value of an attribute of another type: data, a decimal (as `NSDecimalNumber`), UUID, URL, composite or
    /// transformable. nil if it has no value, or one of another type. Fires the fault.
    public final func _value<Value>(_ slot: Int, _ key: StaticString) -> Value? {
        guard canRead(key) else { return named(key) }
        return (snapshot?.box(slot)?.value ?? unreadValue(slot)) as? Value
    }

    /// The destination of a to-one relationship, or nil. Fires the object's fault, not the destination's.
    ///
    /// Traps if the class of the destination does not fit the generated property.
    public final func _destination<Object: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Object? {
        let found =
            if canRead(key) {
                destination(slot)
            } else {
                codedValue(forKey: key.description) as? NSManagedObject
            }
        guard let found else { return ocd_anything_records() ? recordedDestination(key) : nil }
        // Fast path for the class itself: a cast would examine its superclasses.
        if Swift.type(of: found) == Object.self { return unsafeDowncast(found, to: Object.self) }
        guard let object = found as? Object else {
            preconditionFailure(
                "'\(table.layout.name).\(key)' leads to a \(type(of: found)), not to a \(Object.self): name the class in the model, "
                    + "with its module.")
        }
        return object
    }

    @inline(never) private final func recordedDestination<Object: NSManagedObject>(_ key: StaticString) -> Object? {
        ReadRecorder.current?.destination(of: self, key.description, as: Object.self) as? Object
    }

    /// The members of a to-many relationship, as key-value coding returns them: an `NSSet` or `NSOrderedSet`. Fires
    /// both faults.
    @_disfavoredOverload
    public final func _members<Collection>(_ slot: Int, _ key: StaticString) -> Collection? { named(key) }

    /// The members of a to-many relationship as objects of a class. Fires the object's fault, not those of the members.
    ///
    /// Traps if the class of a member does not fit the generated property.
    public final func _memberArray<Object: NSManagedObject>(_ key: StaticString) -> [Object] {
        let all: [Any] =
            switch codedValue(forKey: key.description) {
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            default: []
            }
        return all.map { typed($0, key) }
    }

    /// The members of an unordered to-many relationship. As `_memberArray(_:)`.
    public final func _memberSet<Object: NSManagedObject>(_ key: StaticString) -> Set<Object> {
        let members: [Object] = _memberArray(key)
        return Set(members)
    }

    /// The present members of an unordered to-many relationship, found by its slot. As `_memberArray(_:)`.
    ///
    /// A cast of the collection that key-value coding returns would take several times as long.
    public final func _members<Member: NSManagedObject>(_ slot: Int, _ key: StaticString) -> Set<Member>? {
        guard canRead(key) else { return _memberSet(key) }
        let found = members(slot)
        // A cast costs more than the insertion, so each class is checked once.
        var known = ObjectIdentifier(Member.self)
        found.lookAtEach { object in
            let type = ObjectIdentifier(Swift.type(of: object))
            if type == known { return }
            let _: Member = typed(object, key)
            known = type
        }
        return Set(roomy: found).unchecked()
    }

    private final func typed<Object: NSManagedObject>(_ member: Any, _ key: StaticString) -> Object {
        guard let object = member as? Object else {
            preconditionFailure(
                "'\(table.layout.name).\(key)' has a member of the class \(type(of: member)), not \(Object.self): name the class in "
                    + "the model, with its module.")
        }
        return object
    }
}
