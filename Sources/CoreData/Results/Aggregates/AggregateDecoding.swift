// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values of stores to the types of a query: numbers exactly, enumerations by raw value.

import CoreDataFoundation
import Foundation

package enum AggregateDecoding {
    /// A value, or a nil of an optional type; nil for a value that does not fit.
    package static func key<Key>(_ stored: Any?, as type: Key.Type) -> Key? {
        if let stored { return value(stored, as: type) }
        return (type as? any OptionalResult.Type)?.missing as? Key
    }

    /// nil for a value that does not fit.
    static func value<Value>(_ stored: Any, as type: Value.Type) -> Value? {
        if let optional = type as? any OptionalResult.Type { return optional.decoded(stored) as? Value }
        if let result = number(stored, type) as? Value { return result }
        if let result = ComparableValue(stored).original as? Value { return result }
        if let raw = type as? any RawRepresentable.Type { return enumeration(stored, raw) as? Value }
        return stored as? Value
    }

    private static func enumeration<Enumeration: RawRepresentable>(_ stored: Any, _ type: Enumeration.Type) -> Any? {
        value(stored, as: Enumeration.RawValue.self).flatMap { type.init(rawValue: $0) }
    }

    private static func number(_ stored: Any, _ type: Any.Type) -> Any? {
        guard !(stored is String), let number = AttributeValues.number(stored) else { return nil }
        switch ObjectIdentifier(type) {
        case ObjectIdentifier(Decimal.self): return ExactDecimal.of(number)
        case ObjectIdentifier(Double.self): return ExactDecimal.double(number)
        case ObjectIdentifier(Float.self): return Float(ExactDecimal.double(number))
        case ObjectIdentifier(Bool.self): return number.boolValue
        default: break
        }
        guard let integer = type as? any FixedWidthInteger.Type, let whole = Snapshot.integer(number) else {
            return nil
        }
        return fitted(whole, integer)
    }

    private static func fitted<Integer: FixedWidthInteger>(_ whole: Int64, _ type: Integer.Type) -> Any? {
        Integer(exactly: whole)
    }
}

/// Optional types, at run time.
private protocol OptionalResult {
    static var missing: Any { get }
    static func decoded(_ stored: Any) -> Any?
}

extension Optional: OptionalResult {
    fileprivate static var missing: Any { Optional.none as Any }

    fileprivate static func decoded(_ stored: Any) -> Any? {
        AggregateDecoding.value(stored, as: Wrapped.self).map { Optional.some($0) as Any }
    }
}
