// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts Swift values for the slots of a snapshot, and back.

import CoreDataFoundation
import Foundation

/// Conversions between the values that programs use and those of slots.
package enum AttributeValues {
    /// Equality of two attribute values of any class, numbers by value.
    package static func isEqual(_ one: Any, _ other: Any) -> Bool {
        if let one = one as? AnyHashable, let other = other as? AnyHashable, one == other { return true }
        return (foundationObject(one) as? NSObject)?.isEqual(foundationObject(other)) ?? false
    }

    /// The Foundation object for a value: `NSString` for a `String`, and so on.
    package static func foundationObject(_ value: Any) -> AnyObject {
        switch value {
        case let value as String: return value as NSString
        case let value as Data: return value as NSData
        case let value as Date: return value as NSDate
        case let value as UUID: return value as NSUUID
        case let value as URL: return value as NSURL
        case let value as Decimal: return NSDecimalNumber(decimal: value)
        case let value as NSObject: return value
        case let value as [String: Any]:
            return NSDictionary(objects: value.values.map(foundationObject), forKeys: value.keys.map { $0 as NSString })
        case let value as [Any]: return NSArray(array: value.map(foundationObject))
        case let value as Set<AnyHashable>: return NSSet(array: value.map { foundationObject($0.base) })
        default: return number(value) ?? value as AnyObject
        }
    }

    /// The number in any of Swift's numeric types; nil for other values.
    package static func number(_ value: Any) -> NSNumber? {
        switch value {
        case let value as NSNumber: return value
        case let value as Bool: return NSNumber(value: value)
        case let value as Int: return NSNumber(value: value)
        case let value as Double: return NSNumber(value: value)
        case let value as Int16: return NSNumber(value: value)
        case let value as Int32: return NSNumber(value: value)
        case let value as Int64: return NSNumber(value: value)
        case let value as Float: return NSNumber(value: value)
        case let value as Decimal: return NSDecimalNumber(decimal: value)
        case let value as Int8: return NSNumber(value: value)
        case let value as UInt: return NSNumber(value: value)
        case let value as UInt8: return NSNumber(value: value)
        case let value as UInt16: return NSNumber(value: value)
        case let value as UInt32: return NSNumber(value: value)
        case let value as UInt64: return NSNumber(value: value)
        case let value as CGFloat: return NSNumber(value: Double(value))
        default: return nil
        }
    }

    /// The present value of a mutable object, so that later changes to the object do not affect a row.
    package static func frozen(_ value: Any) -> Any {
        switch value {
        case let value as NSMutableData: return Data(referencing: value)
        case let value as NSMutableArray: return value.copy()
        case let value as NSMutableSet: return value.copy()
        case let value as NSMutableDictionary: return value.copy()
        case let value as NSMutableOrderedSet: return value.copy()
        case let value as NSMutableString: return String(value as NSString as String)
        default: return value
        }
    }
}

extension Snapshot {
    /// The value of an attribute in its public type: numbers as `NSNumber`, others as Swift values; nil for null.
    package func value(_ slot: Int) -> Any? {
        if isNull(slot) { return nil }
        switch layout[slot].kind {
        case .integer: return NSNumber(value: integer(slot))
        case .boolean: return NSNumber(value: boolean(slot))
        case .float: return NSNumber(value: Float(double(slot)))
        case .double: return NSNumber(value: double(slot))
        case .date: return Date(timeIntervalSinceReferenceDate: double(slot))
        case .string: return string(slot)
        case .box: return box(slot)?.value
        case .reference, .toMany, .fetched: return nil
        }
    }

    /// Stores a value that the program set.
    ///
    /// - Returns: `false`, without a change, if the attribute cannot hold a value of this type.
    @discardableResult
    package func setValue(_ value: Any?, _ slot: Int) -> Bool {
        guard let value else {
            setNull(slot)
            return true
        }
        if setPresentValue(value, slot) { return true }
        // An optional inside an `Any` is still an optional, and NSNull is Foundation's nil: rare, so checked last.
        guard Self.unwrapped(value) == nil else { return false }
        setNull(slot)
        return true
    }

    private func setPresentValue(_ value: Any, _ slot: Int) -> Bool {
        switch layout[slot].kind {
        case .integer:
            if let value = value as? Int {
                setInteger(Int64(value), slot)
                return true
            }
            guard let number = AttributeValues.number(value), let integer = Self.integer(number) else { return false }
            setInteger(integer, slot)
        case .boolean:
            guard let number = AttributeValues.number(value) else { return false }
            setBoolean(number.boolValue, slot)
        case .float:
            guard let number = AttributeValues.number(value) else { return false }
            setDouble(Double(number.floatValue), slot)
        case .double:
            guard let number = AttributeValues.number(value) else { return false }
            setDouble(ExactDecimal.double(number), slot)
        case .date:
            if let date = value as? Date {
                setDouble(date.timeIntervalSinceReferenceDate, slot)
            } else if let date = value as? NSDate {
                setDouble(date.timeIntervalSinceReferenceDate, slot)
            } else {
                return false
            }
        case .string:
            if let string = value as? String {
                setString(string, slot)
            } else if let string = value as? NSString {
                setString(String(string), slot)
            } else {
                return false
            }
        case .box:
            guard let boxed = boxed(value, slot) else { return false }
            setBox(boxed, slot)
        case .reference, .toMany, .fetched:
            return false
        }
        return true
    }

    private func boxed(_ value: Any, _ slot: Int) -> ValueBox? {
        guard let attribute = layout.attribute(slot) else { return nil }
        switch attribute.attributeType {
        case .decimalAttributeType:
            guard let number = AttributeValues.number(value) else { return nil }
            return ValueBox((number as? NSDecimalNumber) ?? NSDecimalNumber(decimal: ExactDecimal.of(number)))
        case .binaryDataAttributeType:
            if let data = value as? Data { return ValueBox(data) }
            return (value as? NSData).map { ValueBox(Data(referencing: $0)) }
        case .UUIDAttributeType:
            return (value as? UUID ?? (value as? NSUUID).map { $0 as UUID }).map { ValueBox($0) }
        case .URIAttributeType:
            return (value as? URL ?? (value as? NSURL).map { $0 as URL }).map { ValueBox($0) }
        case .objectIDAttributeType:
            return (value as? NSManagedObjectID).map { ValueBox($0) }
        case .compositeAttributeType:
            return (value as? [String: Any]).map { ValueBox($0) }
        default:
            guard let value = Self.unwrapped(value) else { return nil }
            return ValueBox(AttributeValues.frozen(value))
        }
    }

    /// nil for numbers of more than 64 bits. Truncates fractions, as `NSNumber` does.
    package static func integer(_ number: NSNumber) -> Int64? {
        if let decimal = (number as? NSDecimalNumber)?.decimalValue {
            return decimal > Decimal(Int64.min) - 1 && decimal < Decimal(Int64.max) + 1 ? number.int64Value : nil
        }
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")):
            return Int64(exactly: number.doubleValue.rounded(.towardZero))
        case CChar(UInt8(ascii: "Q")): return Int64(exactly: number.uint64Value)
        default: return number.int64Value
        }
    }

    /// The integer nearest to a number of more than 64 bits; the least one for NaN.
    package static func nearestInteger(_ number: NSNumber) -> Int64 { number.doubleValue > 0 ? .max : .min }

    /// nil for nil, for a nil optional inside an `Any`, and for `NSNull`. The base value of an `AnyHashable`.
    package static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable { return unwrapped(hashable.base) }
        if value is NSNull { return nil }
        // An optional inside an `Any` is still an optional.
        if let nested = value as? any NestedOptional { return unwrapped(nested.wrapped) }
        return value
    }

    /// The value at a path of element names in a composite value, or nil.
    package static func element(_ path: ArraySlice<String>, of values: [String: Any]) -> Any? {
        guard let name = path.first, let value = unwrapped(values[name]) else { return nil }
        if path.count == 1 { return value }
        return (value as? [String: Any]).flatMap { element(path.dropFirst(), of: $0) }
    }
}

private protocol NestedOptional {
    var wrapped: Any? { get }
}

extension Optional: NestedOptional {
    fileprivate var wrapped: Any? { self }
}

extension Snapshot {
    /// The values of a new object of an entity: the defaults of the model.
    package static func defaults(of layout: EntityLayout) -> Snapshot? {
        var result: Snapshot?
        for slot in layout.attributeSlots {
            guard let attribute = layout.attribute(slot), let value = attribute.initialValue else { continue }
            if result == nil { result = .make(layout) }
            result?.setValue(value, slot)
        }
        return result
    }

    /// The same values without those of transient attributes, which other contexts must not see.
    package func withoutTransients() -> Snapshot {
        guard layout.hasTransients, layout.transientSlots.contains(where: { !isNull($0) }) else { return self }
        let result = copy()
        for slot in layout.transientSlots {
            result.setNull(slot)
            if let value = layout.defaults?.value(slot) { result.setValue(value, slot) }
        }
        return result
    }

    /// Replaces temporary keys by permanent ones. Only for an owned block.
    ///
    /// - Parameter permanent: returns nil for keys that are still temporary.
    package func resolveReferences(_ permanent: (Int64) -> Int64?) {
        for slot in layout.toOneSlots {
            guard var reference = reference(slot), reference.key < 0, let key = permanent(reference.key) else {
                continue
            }
            reference.key = key
            setReference(reference, slot)
        }
    }

    /// Whether it refers to records by temporary keys.
    package var holdsTemporaryReferences: Bool { layout.toOneSlots.contains { (reference($0)?.key ?? 0) < 0 } }

    /// Whether any attribute that a store contains differs.
    package func differsInAttributes(from other: Snapshot) -> Bool {
        layout.attributeSlots.contains { !layout[$0].isTransient && !isEqual(other, slot: $0) }
    }
}
