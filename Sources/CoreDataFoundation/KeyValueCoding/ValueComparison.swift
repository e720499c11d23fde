// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares two values of any types for equality and order.

package import Foundation

/// Equality and order of values in predicates and sort descriptors.
///
/// Numbers compare by value across types. Strings compare by their UTF-8 bytes, as SQLite's BINARY collation does, so
/// that a fetch from a file and a filter in memory agree. `NSNull` and empty optionals are nil.
package enum ValueComparison {
    /// nil equals only nil; NaN equals nothing.
    package static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        areEqual(ComparableValue(left), ComparableValue(right))
    }

    /// - Returns: nil if the values have no order: one is nil or NaN, or their kinds differ.
    package static func order(_ left: Any?, _ right: Any?) -> ComparisonResult? {
        order(ComparableValue(left), ComparableValue(right))
    }

    /// The order for sorting: nil first, and values without an order as equal.
    package static func sortOrder(_ left: Any?, _ right: Any?) -> ComparisonResult {
        let left = ComparableValue(left)
        let right = ComparableValue(right)
        switch (left, right) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        default: return order(left, right) ?? .orderedSame
        }
    }

    package static func areEqual(_ left: ComparableValue, _ right: ComparableValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.null, _), (_, .null): false
        case (.string(let left), .string(let right)): sameBytes(left, right)
        case (.integer(let left), .integer(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.url(let left), .url(let right)): left == right || left.absoluteURL == right.absoluteURL
        case (.data(let left), .data(let right)): left == right
        case (.object(let left), .object(let right)): areEqual(objects: left, right)
        case (.object(let left), .other(let right)): areEqual(others: left, right)
        case (.other(let left), .object(let right)): areEqual(others: left, right)
        case (.other(let left), .other(let right)): areEqual(others: left, right)
        default: order(left, right) == .orderedSame
        }
    }

    package static func order(_ left: ComparableValue, _ right: ComparableValue) -> ComparisonResult? {
        typealias Number = NumberComparison
        switch (left, right) {
        case (.string(let left), .string(let right)): return byteOrder(left, right)
        case (.integer(let left), .integer(let right)): return Number.ordering(left, right)
        case (.date(let left), .date(let right)): return Number.ordering(left, right)
        case (.double(let left), .double(let right)): return Number.order(left, right)
        case (.integer(let left), .double(let right)): return Number.order(left, right)
        case (.double(let left), .integer(let right)): return Number.reversed(Number.order(right, left))
        case (.decimal(let left), .decimal(let right)): return Number.order(left, right)
        case (.decimal(let left), .integer(let right)): return Number.order(left, Decimal(right))
        case (.integer(let left), .decimal(let right)): return Number.order(Decimal(left), right)
        case (.decimal(let left), .double(let right)): return Number.order(left, right)
        case (.double(let left), .decimal(let right)): return Number.reversed(Number.order(right, left))
        case (.unsigned(let left), .unsigned(let right)): return Number.ordering(left, right)
        case (.unsigned, .integer): return .orderedDescending
        case (.integer, .unsigned): return .orderedAscending
        case (.unsigned(let left), .double(let right)): return Number.order(left, right)
        case (.double(let left), .unsigned(let right)): return Number.reversed(Number.order(right, left))
        case (.unsigned(let left), .decimal(let right)): return Number.order(Decimal(left), right)
        case (.decimal(let left), .unsigned(let right)): return Number.order(left, Decimal(right))
        case (.uuid(let left), .uuid(let right)): return order(bytes: bytes(left), bytes(right))
        case (.url(let left), .url(let right)): return byteOrder(left.absoluteString, right.absoluteString)
        case (.data(let left), .data(let right)): return order(bytes: left, right)
        default: return nil
        }
    }

    // MARK: Parts

    static func byteOrder(_ left: String, _ right: String) -> ComparisonResult {
        order(bytes: left.utf8, right.utf8)
    }

    private static func sameBytes(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let result = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { left.elementsEqual($0) }
        }
        return (result ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    private static func order<C: Sequence<UInt8>>(bytes left: C, _ right: C) -> ComparisonResult {
        var rest = right.makeIterator()
        for byte in left {
            guard let other = rest.next() else { return .orderedDescending }
            if byte != other { return byte < other ? .orderedAscending : .orderedDescending }
        }
        return rest.next() == nil ? .orderedSame : .orderedAscending
    }

    private static func bytes(_ uuid: UUID) -> [UInt8] {
        withUnsafeBytes(of: uuid.uuid) { Array($0) }
    }

    private static func areEqual(objects left: AnyObject, _ right: AnyObject) -> Bool {
        if left === right { return true }
        if let left = left as? any ComparisonKeyed, let right = right as? any ComparisonKeyed {
            return left.comparisonKey == right.comparisonKey
        }
        return areEqual(others: left, right)
    }

    private static func areEqual(others left: Any, _ right: Any) -> Bool {
        if let left = left as? any ValueCollection, let right = right as? any ValueCollection {
            return areEqual(left, right)
        }
        if let left = left as? any ValueDictionary, let right = right as? any ValueDictionary {
            return left.isEqualDictionary(to: right)
        }
        if let left = left as? NSObject, Swift.type(of: left as Any) is AnyClass, let right = right as? NSObject {
            return left.isEqual(right)
        }
        guard let left = left as? AnyHashable, let right = right as? AnyHashable else { return false }
        return left == right
    }

    private static func areEqual(_ left: any ValueCollection, _ right: any ValueCollection) -> Bool {
        guard left.memberCount == right.memberCount else { return false }
        if left.isUnordered || right.isUnordered {
            let values = HashedValues(right.members)
            return left.members.allSatisfy { values.contains($0) }
        }
        return zip(left.members, right.members).allSatisfy { areEqual($0, $1) }
    }
}
