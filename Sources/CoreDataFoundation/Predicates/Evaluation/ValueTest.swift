// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies one comparison operator to a left and a right value.

import Foundation

/// A class, because it caches the last pattern for right sides that are not constants.
final class ValueTest {
    private let operation: ComparisonSyntax.Operator
    private let options: ComparisonSyntax.Options
    private let folding: StringFolding
    private var lastPattern: (text: String, matching: StringMatching)?

    init(_ operation: ComparisonSyntax.Operator, options: ComparisonSyntax.Options) {
        self.operation = operation
        self.options = options
        folding = StringFolding(options)
    }

    /// The test with a prepared right side.
    func ready(for right: Any?) throws -> (ComparableValue) throws -> Bool {
        let value = ComparableValue(right)
        switch operation {
        case .equalTo: return try equality(with: value)
        case .notEqualTo:
            let equal = try equality(with: value)
            return { try !equal($0) }
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: return ordering(with: value)
        case .in: return try membership(in: value)
        case .beginsWith, .endsWith, .like, .matches:
            guard let pattern = TextValue.text(of: value) else { return { _ in false } }
            let matching = try StringMatching(matchingOperation, pattern: pattern, options: options)
            return { try TextValue.text(of: $0).map(matching.matches) ?? false }
        case .contains:
            let matching = try TextValue.text(of: value).map {
                try StringMatching(.contains, pattern: $0, options: options)
            }
            return { [self] left in
                if let members = members(of: left) { return isMember(value, of: members) }
                return try TextValue.text(of: left).flatMap { try matching?.matches($0) } ?? false
            }
        case .between, .custom, .matching: return { [self] in try test($0, value) }
        }
    }

    func test(_ left: ComparableValue, _ right: ComparableValue) throws -> Bool {
        switch operation {
        case .equalTo: return areEqual(left, right)
        case .notEqualTo: return !areEqual(left, right)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: return hasOrder(order(left, right))
        case .in:
            if let members = members(of: right) { return isMember(left, of: members) }
            return try match(right, with: left)
        case .contains:
            if let members = members(of: left) { return isMember(right, of: members) }
            return try match(left, with: right)
        case .beginsWith, .endsWith, .like, .matches: return try match(left, with: right)
        case .between: return try isBetween(left, right)
        // The compiler makes other tests of these.
        case .custom, .matching: throw PredicateEvaluationError.missingMatch
        }
    }

    // MARK: Equality and order

    private func equality(with right: ComparableValue) throws -> (ComparableValue) throws -> Bool {
        guard case .string(let pattern) = right else { return { ValueComparison.areEqual($0, right) } }
        let matching = try StringMatching(.equal, pattern: pattern, options: options)
        return { if case .string(let left) = $0 { try matching.matches(left) } else { false } }
    }

    private func areEqual(_ left: ComparableValue, _ right: ComparableValue) -> Bool {
        if !folding.isIdentity, case .string(let left) = left, case .string(let right) = right {
            return folding.compare(left, right) == .orderedSame
        }
        return ValueComparison.areEqual(left, right)
    }

    private func order(_ left: ComparableValue, _ right: ComparableValue) -> ComparisonResult? {
        if !folding.isIdentity, case .string(let left) = left, case .string(let right) = right {
            return folding.compare(left, right)
        }
        return ValueComparison.order(left, right)
    }

    private func ordering(with right: ComparableValue) -> (ComparableValue) -> Bool {
        switch right {
        case .double(let number) where !number.isNaN:
            return { [self] left in
                if case .double(let left) = left { return !left.isNaN && hasOrder(left, number) }
                return hasOrder(order(left, right))
            }
        case .integer(let number):
            // Below 2^53 the double is exact.
            let double = number.magnitude < 1 << 53 ? Double(number) : nil
            return { [self] left in
                switch left {
                case .integer(let left): return hasOrder(left, number)
                case .double(let left): if let double { return !left.isNaN && hasOrder(left, double) }
                default: break
                }
                return hasOrder(order(left, right))
            }
        default: return { [self] in hasOrder(order($0, right)) }
        }
    }

    private func hasOrder(_ order: ComparisonResult?) -> Bool {
        guard let order else { return false }
        return hasOrder(order.rawValue, 0)
    }

    @inline(__always) private func hasOrder<T: Comparable>(_ left: T, _ right: T) -> Bool {
        switch operation {
        case .lessThan: left < right
        case .lessThanOrEqualTo: left <= right
        case .greaterThan: left > right
        default: left >= right
        }
    }

    private func isBetween(_ left: ComparableValue, _ right: ComparableValue) throws -> Bool {
        guard let bounds = (right.original as? any ValueCollection)?.members, bounds.count == 2 else {
            throw PredicateEvaluationError.notABetweenRange(PredicateConstants.text(of: right.original))
        }
        guard let low = order(left, ComparableValue(bounds[0])), let high = order(left, ComparableValue(bounds[1]))
        else { return false }
        return low != .orderedAscending && high != .orderedDescending
    }

    // MARK: Membership

    private func membership(in right: ComparableValue) throws -> (ComparableValue) throws -> Bool {
        guard let members = members(of: right) else { return { [self] in try test($0, right) } }
        if folding.isIdentity {
            let values = HashedValues(members)
            return { values.contains($0) }
        }
        let values = HashedValues(members.map { folded(ComparableValue($0)).original })
        return { [self] in values.contains(folded($0)) }
    }

    private func folded(_ value: ComparableValue) -> ComparableValue {
        if case .string(let text) = value { .string(folding.folded(text)) } else { value }
    }

    private func isMember(_ value: ComparableValue, of members: [Any]) -> Bool {
        members.contains { areEqual(ComparableValue($0), value) }
    }

    /// The members of a collection or the values of a dictionary; nil for any other value.
    private func members(of value: ComparableValue) -> [Any]? {
        switch value {
        case .object(let object): CoreDataFoundation.members(of: object)
        case .other(let other): CoreDataFoundation.members(of: other)
        default: nil
        }
    }

    // MARK: Text

    private func match(_ text: ComparableValue, with pattern: ComparableValue) throws -> Bool {
        guard let text = TextValue.text(of: text), let pattern = TextValue.text(of: pattern) else { return false }
        if let last = lastPattern, last.text == pattern { return try last.matching.matches(text) }
        let matching = try StringMatching(matchingOperation, pattern: pattern, options: options)
        lastPattern = (pattern, matching)
        return try matching.matches(text)
    }

    private var matchingOperation: StringMatching.Operation {
        switch operation {
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        default: .contains
        }
    }
}

enum TextValue {
    /// The text of a value; nil for nil and for values without a canonical text. Numbers are matched as text, as SQLite
    /// does with a numeric column.
    static func text(of value: Any?) -> String? { text(of: ComparableValue(value)) }

    static func text(of value: ComparableValue) -> String? {
        switch value {
        case .string(let value): value
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        case .double(let value): NSNumber(value: value).stringValue
        case .decimal(let value): NSDecimalNumber(decimal: value).stringValue
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        default: nil
        }
    }
}
