// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Functions for the setters of generated classes. For generated code only: see
// Documentation/Internals/GeneratedAccess.md.

public import Foundation

extension NSManagedObject {
    /// Records the change of a slot and writes the block; finds the property by name if the slots do not match the
    /// class.
    @inline(__always) private final func set<Value>(
        _ value: Value?, _ slot: Int, _ key: StaticString, _ isEqual: (Snapshot, Value) -> Bool,
        _ write: (Snapshot, Value) -> Void
    ) {
        guard flags.contains(.slotsMatch) else { return setCodedValue(value, forKey: key.description) }
        checkOwnership()
        if comparesValues, holds(value, slot, isEqual) { return }
        announcing(slot) {
            willWrite(slot)
            heldRow?.look { if let value { write($0, value) } else { $0.setNull(slot) } }
        }
    }

    @inline(__always) private final func holds<Value>(
        _ value: Value?, _ slot: Int, _ isEqual: (Snapshot, Value) -> Bool
    ) -> Bool {
        fireFault(nil)
        if flags.contains(.fault) { return false }
        return heldRow?.look { row in
            guard let value else { return row.isNull(slot) }
            return !row.isNull(slot) && isEqual(row, value)
        } ?? false
    }

    /// Sets an integer attribute; nil for no value. The change is recorded.
    public final func _setInteger(_ value: Int64?, _ slot: Int, _ key: StaticString) {
        set(value, slot, key, { $0.integer(slot) == $1 }, { $0.setInteger($1, slot) })
    }

    /// Sets a Boolean attribute; nil for no value. The change is recorded.
    public final func _setBoolean(_ value: Bool?, _ slot: Int, _ key: StaticString) {
        set(value, slot, key, { $0.boolean(slot) == $1 }, { $0.setBoolean($1, slot) })
    }

    /// Sets a float attribute; nil for no value. The change is recorded.
    public final func _setFloat(_ value: Float?, _ slot: Int, _ key: StaticString) {
        set(value, slot, key, { $0.double(slot) == Double($1) }, { $0.setDouble(Double($1), slot) })
    }

    /// Sets a double attribute; nil for no value. The change is recorded.
    public final func _setDouble(_ value: Double?, _ slot: Int, _ key: StaticString) {
        set(value, slot, key, { $0.double(slot) == $1 }, { $0.setDouble($1, slot) })
    }

    /// Sets a date attribute; nil for no value. The change is recorded.
    public final func _setDate(_ value: Date?, _ slot: Int, _ key: StaticString) {
        set(
            value, slot, key, { $0.double(slot) == $1.timeIntervalSinceReferenceDate },
            { $0.setDouble($1.timeIntervalSinceReferenceDate, slot) })
    }

    /// Sets a string attribute; nil for no value. The change is recorded.
    public final func _setString(_ value: String?, _ slot: Int, _ key: StaticString) {
        set(value, slot, key, { $0.string(slot) == $1 }, { $0.setString($1, slot) })
    }

    /// Sets an attribute of another type, or all members of a to-many relationship. The change is recorded.
    ///
    /// Traps when the property cannot hold the value.
    public final func _setValue(_ value: Any?, _ slot: Int, _ key: StaticString) {
        setCodedValue(value, forKey: key.description)
    }

    /// Sets a property that the generator knows only by name. The change is recorded.
    ///
    /// Traps when the property cannot hold the value.
    public final func _setNamed(_ value: Any?, _ key: StaticString) { setCodedValue(value, forKey: key.description) }

    /// Sets a to-one relationship; nil for no destination. Updates the inverse, and records the change.
    ///
    /// Traps for an object of another context or entity.
    public final func _setDestination(_ object: NSManagedObject?, _ slot: Int, _ key: StaticString) {
        guard flags.contains(.slotsMatch) else { return setCodedValue(object, forKey: key.description) }
        checkOwnership()
        setDestination(object, slot)
    }
}
