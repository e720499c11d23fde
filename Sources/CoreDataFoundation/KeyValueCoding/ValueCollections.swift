// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets arrays, sets and dictionaries be read without knowing what they hold.

import Foundation

/// A collection of anything, Swift's or Foundation's.
protocol ValueCollection {
    var members: [Any] { get }
    var memberCount: Int { get }
    var isUnordered: Bool { get }
    /// A collection of the same kind with other members.
    func collection(of members: [Any]) -> Any
}

/// A dictionary of anything.
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
    // By index, not by `self as? [Any]`: subclasses answer these two and nothing else reliably.
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

/// A set; where a decimal number is in it, an array that has each value once.
func unorderedCollection(of members: [Any]) -> Any {
    containsDecimal(members) ? Aggregation.distinct(members) : NSSet(array: members)
}

/// Foundation overruns the stack when it hashes an `NSDecimalNumber` off Apple's systems: its sets cannot hold one.
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
        // Hashing an `NSDecimalNumber` would overrun the stack.
        if case .decimal = ComparableValue(key.base) { return nil }
        return object(forKey: key.base)
    }
}

/// Sees through an optional that was put into an `Any`.
protocol PossiblyEmpty {
    var wrappedValue: Any? { get }
}

extension Optional: PossiblyEmpty {
    var wrappedValue: Any? {
        guard case .some(let value) = self else { return nil }
        return presentValue(value)
    }
}

/// The value with optionals around it taken off and `NSNull` read as nil.
package func presentValue(_ value: Any?) -> Any? {
    guard let value else { return nil }
    if let optional = value as? any PossiblyEmpty { return optional.wrappedValue }
    // Asked of a collection of Swift's, `is NSNull` would make a collection of Foundation's first.
    return Swift.type(of: value) is AnyClass && value is NSNull ? nil : value
}
