// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies one operator to a left and a right value.

import Foundation

/// A class because it keeps the last pattern for right sides that are no constants.
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

    /// The test with its right side made ready.
    func ready(for right: Any?) throws -> (Any?) throws -> Bool {
        switch operation {
        case .equalTo: return try equality(with: right)
        case .notEqualTo:
            let equal = try equality(with: right)
            return { try !equal($0) }
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            let right = ComparableValue(right)
            return { [self] in hasOrder(order(ComparableValue($0), right)) }
        case .in: return try membership(in: right)
        case .beginsWith, .endsWith, .like, .matches:
            guard let pattern = text(right) else { return { _ in false } }
            let matching = try StringMatching(matchingOperation, pattern: pattern, options: options)
            return { [self] in text($0).map(matching.matches) ?? false }
        case .contains:
            let matching = try text(right).map { try StringMatching(.contains, pattern: $0, options: options) }
            return { [self] left in
                if let left = left as? String { return matching?.matches(left) ?? false }
                if let members = members(of: left) { return isMember(right, of: members) }
                return text(left).flatMap { matching?.matches($0) } ?? false
            }
        case .between, .custom: return { [self] in try test($0, right) }
        }
    }

    func test(_ left: Any?, _ right: Any?) throws -> Bool {
        switch operation {
        case .equalTo: return areEqual(left, right)
        case .notEqualTo: return !areEqual(left, right)
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            return hasOrder(order(ComparableValue(left), ComparableValue(right)))
        case .in:
            if let members = members(of: right) { return isMember(left, of: members) }
            return try match(right, with: left)
        case .contains:
            if let members = members(of: left) { return isMember(right, of: members) }
            return try match(left, with: right)
        case .beginsWith, .endsWith, .like, .matches: return try match(left, with: right)
        case .between: return try isBetween(left, right)
        case .custom: throw PredicateEvaluationError.missingMatch
        }
    }

    // MARK: Equality and order

    private func equality(with right: Any?) throws -> (Any?) throws -> Bool {
        let value = ComparableValue(right)
        if !folding.isIdentity, case .string(let pattern) = value {
            let matching = try StringMatching(.equal, pattern: pattern, options: options)
            return { left in
                if case .string(let left) = ComparableValue(left) { matching.matches(left) } else { false }
            }
        }
        return { ValueComparison.areEqual(ComparableValue($0), value) }
    }

    private func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        let (left, right) = (ComparableValue(left), ComparableValue(right))
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

    private func hasOrder(_ order: ComparisonResult?) -> Bool {
        guard let order else { return false }
        return switch operation {
        case .lessThan: order == .orderedAscending
        case .lessThanOrEqualTo: order != .orderedDescending
        case .greaterThan: order == .orderedDescending
        default: order != .orderedAscending
        }
    }

    private func isBetween(_ left: Any?, _ right: Any?) throws -> Bool {
        guard let bounds = (right as? any ValueCollection)?.members, bounds.count == 2 else {
            throw PredicateEvaluationError.notABetweenRange(PredicateConstants.text(of: right))
        }
        let left = ComparableValue(left)
        guard let low = order(left, ComparableValue(bounds[0])), let high = order(left, ComparableValue(bounds[1]))
        else { return false }
        return low != .orderedAscending && high != .orderedDescending
    }

    // MARK: Membership

    private func membership(in right: Any?) throws -> (Any?) throws -> Bool {
        guard let members = members(of: right) else { return { [self] in try test($0, right) } }
        let values = HashedValues(folding.isIdentity ? members : members.map(folded))
        return { [self] in values.contains(folding.isIdentity ? $0 : folded($0)) }
    }

    private func folded(_ value: Any?) -> Any {
        if case .string(let text) = ComparableValue(value) { return folding.folded(text) }
        return value ?? NSNull()
    }

    private func isMember(_ value: Any?, of members: [Any]) -> Bool {
        members.contains { areEqual($0, value) }
    }

    // MARK: Text

    private func match(_ text: Any?, with pattern: Any?) throws -> Bool {
        guard let text = self.text(text), let pattern = self.text(pattern) else { return false }
        if let last = lastPattern, last.text == pattern { return last.matching.matches(text) }
        let matching = try StringMatching(matchingOperation, pattern: pattern, options: options)
        lastPattern = (pattern, matching)
        return matching.matches(text)
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

    /// Numbers are matched as text, as SQLite does with a column of numbers.
    private func text(_ value: Any?) -> String? {
        if let value = value as? String { return value }
        return TextValue.text(of: value)
    }
}

enum TextValue {
    /// How a value is written; nil for nil and for what has no one spelling.
    static func text(of value: Any?) -> String? {
        switch ComparableValue(value) {
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
