// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A set of values of any types, compared as in predicates.

import Foundation

/// Finds hashable members in constant time, and others one by one.
struct HashedValues {
    private var hashed: Set<HashedValue> = []
    private var others: [Any?] = []

    init(_ members: [Any?]) {
        hashed.reserveCapacity(members.count)
        for member in members {
            if let value = HashedValue(member) { hashed.insert(value) } else { others.append(member) }
        }
    }

    func contains(_ value: Any?) -> Bool { contains(ComparableValue(value)) }

    func contains(_ value: ComparableValue) -> Bool {
        if let value = HashedValue(value), hashed.contains(value) { return true }
        return others.contains { ValueComparison.areEqual(ComparableValue($0), value) }
    }
}

/// A value with a hash that agrees with the equality of `ValueComparison`.
struct HashedValue: Hashable {
    let value: ComparableValue
    private let key: AnyHashable?

    /// nil if the value cannot be hashed.
    init?(_ any: Any?) { self.init(ComparableValue(any)) }

    init?(_ value: ComparableValue) {
        self.value = value
        switch value {
        case .object(let object):
            if object is any ValueCollection || object is any ValueDictionary { return nil }
            if let keyed = object as? any ComparisonKeyed {
                key = keyed.comparisonKey
            } else {
                key = (object as? AnyHashable) ?? AnyHashable(ObjectIdentifier(object))
            }
        case .other(let other):
            if other is any ValueCollection || other is any ValueDictionary { return nil }
            guard let hashable = other as? AnyHashable else { return nil }
            key = hashable
        default:
            key = nil
        }
    }

    static func == (left: HashedValue, right: HashedValue) -> Bool {
        ValueComparison.areEqual(left.value, right.value)
    }

    func hash(into hasher: inout Hasher) {
        switch value {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        // Hashes only the integer part, which is the same for equal numbers of all types.
        case .double(let value): hasher.combine(Int64(exactly: value.rounded(.towardZero)) ?? 0)
        case .decimal(let value): hasher.combine(Self.wholePart(value))
        case .unsigned: hasher.combine(Int64(0))
        case .string(let value):
            for byte in value.utf8 { hasher.combine(byte) }
        case .date(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .url(let value): hasher.combine(value.absoluteString)
        case .data(let value): hasher.combine(value)
        case .object, .other: hasher.combine(key)
        }
    }

    private static func wholePart(_ value: Decimal) -> Int64 {
        guard !value.isNaN, abs(value) < Decimal(Int64.max) else {
            // Int64.max and its neighbours need all digits, because equal integers must have equal hashes.
            return value == Decimal(Int64.max) ? Int64.max : value == Decimal(Int64.min) ? Int64.min : 0
        }
        let whole = DecimalRounding.whole(value, value < 0 ? .up : .down)
        return Int64(NSDecimalNumber(decimal: whole).stringValue) ?? 0
    }
}
