// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes collection operators of key paths, such as @count and @sum.

import Foundation

enum CollectionOperator: String, Sendable, CaseIterable {
    case count, sum, avg, min, max
    case unionOfObjects, distinctUnionOfObjects
    case unionOfArrays, distinctUnionOfArrays
    case unionOfSets, distinctUnionOfSets

    /// - Parameter read: reads the rest of the key path from one member.
    func apply(to collection: any ValueCollection, read: (Any) throws -> Any?) throws -> Any? {
        if self == .count { return collection.memberCount }
        switch self {
        case .unionOfArrays, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets:
            return try union(of: collection.members, read: read)
        default: break
        }
        let values = try collection.members.compactMap { try presentValue(read($0)) }
        switch self {
        case .sum: return try Arithmetic.sum(values, for: "@sum")
        case .avg:
            // Key-value coding counts a missing value as zero, unlike SQL, and the average of no values is zero.
            if collection.memberCount == 0 { return 0.0 }
            return try Arithmetic.divideExactly(
                Arithmetic.sum(values, for: "@avg"), by: collection.memberCount, for: "@avg")
        case .min: return Aggregation.extreme(values, .orderedAscending)
        case .max: return Aggregation.extreme(values, .orderedDescending)
        case .distinctUnionOfObjects: return Aggregation.distinct(values)
        default: return values
        }
    }

    /// Unites the values of the key path in all members. The value of a member may itself be a collection.
    private func union(of members: [Any], read: (Any) throws -> Any?) throws -> Any? {
        var values: [Any] = []
        for member in members {
            guard let value = try presentValue(read(member)) else { continue }
            guard let inner = value as? any ValueCollection else {
                throw KeyValueError.notACollection(operation: "@\(rawValue)", type: String(describing: type(of: value)))
            }
            values += inner.members.compactMap { presentValue($0) }
        }
        switch self {
        case .unionOfArrays: return values
        case .distinctUnionOfArrays: return Aggregation.distinct(values)
        default: return unorderedCollection(of: values)
        }
    }
}

enum Aggregation {
    /// The least or greatest value; nil for an empty list.
    static func extreme(_ values: [Any], _ wanted: ComparisonResult) -> Any? {
        values.reduce(nil as Any?) { best, value in
            guard let best else { return value }
            return ValueComparison.order(value, best) == wanted ? value : best
        }
    }

    /// The values without duplicates, in the order of first occurrence.
    static func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<HashedValue> = []
        var unhashed: [Any] = []
        return values.filter { value in
            if let hashed = HashedValue(value) { return seen.insert(hashed).inserted }
            if unhashed.contains(where: { ValueComparison.areEqual($0, value) }) { return false }
            unhashed.append(value)
            return true
        }
    }
}
