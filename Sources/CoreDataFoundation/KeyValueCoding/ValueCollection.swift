// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads arrays, sets and dictionaries without knowing their element types.

import Foundation

/// A Swift or Foundation collection of any values.
protocol ValueCollection {
    var members: [Any] { get }
    var memberCount: Int { get }
    var isUnordered: Bool { get }
    /// Creates a collection of the same kind with other members.
    func collection(of members: [Any]) -> Any
}

/// The members of an array, a set or another collection, Swift's or Foundation's; nil for any other value, and for
/// dictionaries.
package func listMembers(of value: Any) -> [Any]? { (value as? any ValueCollection)?.members }

/// A dictionary with any keys and values.
protocol ValueDictionary {
    func value(named key: String) -> Any?
    func isEqualDictionary(to other: any ValueDictionary) -> Bool
    var entryCount: Int { get }
    var entries: [(key: AnyHashable, value: Any)] { get }
    func entry(_ key: AnyHashable) -> Any?
}

extension ValueDictionary {
    func value(named key: String) -> Any? { entry(AnyHashable(key)) }

    func isEqualDictionary(to other: any ValueDictionary) -> Bool {
        guard entryCount == other.entryCount else { return false }
        return entries.allSatisfy { pair in
            guard let value = other.entry(pair.key) else { return false }
            return ValueComparison.areEqual(pair.value, value)
        }
    }
}

extension Array: ValueCollection {
    var members: [Any] { self }
    var memberCount: Int { count }
    var isUnordered: Bool { false }
    func collection(of members: [Any]) -> Any { members }
}

extension ContiguousArray: ValueCollection {
    var members: [Any] { map { $0 as Any } }
    var memberCount: Int { count }
    var isUnordered: Bool { false }
    func collection(of members: [Any]) -> Any { members }
}

extension ArraySlice: ValueCollection {
    var members: [Any] { map { $0 as Any } }
    var memberCount: Int { count }
    var isUnordered: Bool { false }
    func collection(of members: [Any]) -> Any { members }
}

extension Set: ValueCollection {
    var members: [Any] { map { $0 as Any } }
    var memberCount: Int { count }
    var isUnordered: Bool { true }
    func collection(of members: [Any]) -> Any { unorderedCollection(of: members.filter { !($0 is NSNull) }) }
}

extension NSArray: ValueCollection {
    // By index, not by `self as? [Any]`: subclasses only implement these two methods reliably.
    var members: [Any] { (0..<count).map { object(at: $0) } }
    var memberCount: Int { count }
    var isUnordered: Bool { false }
    func collection(of members: [Any]) -> Any { members }
}

extension NSSet: ValueCollection {
    var members: [Any] { allObjects }
    var memberCount: Int { count }
    var isUnordered: Bool { true }
    func collection(of members: [Any]) -> Any { unorderedCollection(of: members.filter { !($0 is NSNull) }) }
}

/// A set; for members with a decimal number, an array without duplicates.
func unorderedCollection(of members: [Any]) -> Any {
    containsDecimal(members) ? Aggregation.distinct(members) : NSSet(array: members)
}

/// Hashing an `NSDecimalNumber` overflows the stack outside of Apple's systems, so Foundation's sets
/// cannot contain one.
private func containsDecimal(_ members: [Any]) -> Bool {
    members.contains { if case .decimal = ComparableValue($0) { true } else { false } }
}

extension NSOrderedSet: ValueCollection {
    var members: [Any] { (0..<count).map { object(at: $0) } }
    var memberCount: Int { count }
    var isUnordered: Bool { false }
    func collection(of members: [Any]) -> Any {
        let members = members.filter { !($0 is NSNull) }
        return containsDecimal(members) ? Aggregation.distinct(members) : NSOrderedSet(array: members)
    }
}

/// Distinct members, as those of a to-many. The values that are read from them by key are a set: without nil and
/// without duplicates.
package struct DistinctMembers: ValueCollection {
    package let members: [Any]
    let isUnordered: Bool
    var memberCount: Int { members.count }

    /// - Parameter members: distinct objects.
    package init(_ members: [Any], isOrdered: Bool) {
        self.members = members
        isUnordered = !isOrdered
    }

    func collection(of members: [Any]) -> Any {
        let present = members.filter { !($0 is NSNull) }
        if isUnordered { return unorderedCollection(of: present) }
        return containsDecimal(present) ? Aggregation.distinct(present) : NSOrderedSet(array: present)
    }
}

extension Dictionary: ValueDictionary {
    var entryCount: Int { count }
    var entries: [(key: AnyHashable, value: Any)] { map { (AnyHashable($0.key), $0.value as Any) } }
    func entry(_ key: AnyHashable) -> Any? {
        guard let key = key.base as? Key, let value = self[key] else { return nil }
        return value
    }
}

extension NSDictionary: ValueDictionary {
    var entryCount: Int { count }
    var entries: [(key: AnyHashable, value: Any)] {
        allKeys.compactMap { key in
            guard let hashable = key as? AnyHashable, let value = object(forKey: key) else { return nil }
            return (hashable, value)
        }
    }
    func entry(_ key: AnyHashable) -> Any? {
        // Hashing an `NSDecimalNumber` would overflow the stack.
        if case .decimal = ComparableValue(key.base) { return nil }
        return object(forKey: key.base)
    }
}

/// Unwraps an optional inside of an `Any`.
protocol AnyOptional {
    var wrappedValue: Any? { get }
}

extension Optional: AnyOptional {
    var wrappedValue: Any? {
        guard case .some(let value) = self else { return nil }
        return presentValue(value)
    }
}

/// The value without surrounding optionals and `AnyHashable`, and nil for `NSNull`.
package func presentValue(_ value: Any?) -> Any? {
    guard let value else { return nil }
    let type = Swift.type(of: value)
    // Before the cast below, which would unwrap an `AnyHashable`.
    if type == AnyHashable.self, let hashable = value as? AnyHashable { return presentValue(hashable.base) }
    if let optional = value as? any AnyOptional { return optional.wrappedValue }
    // For a Swift collection `is NSNull` would first create a Foundation collection.
    return type is AnyClass && value is NSNull ? nil : value
}
