// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a comparison of a path into a value to a condition of candidates that an index gives. StructuredValues-9.

import CoreDataFoundation
import Foundation

extension PredicateSyntax {
    /// Whether a side of a comparison is a path into a value.
    var comparesInside: Bool {
        switch self {
        case .constant, .block: false
        case .comparison(let comparison): comparison.left.insidePath != nil || comparison.right.insidePath != nil
        case .and(let parts), .or(let parts): parts.contains { $0.comparesInside }
        case .not(let part): part.comparesInside
        }
    }
}

extension ExpressionSyntax {
    /// The path into a value, and the owner of the attribute; nil for other expressions.
    fileprivate var insidePath: (owner: ExpressionSyntax, path: InsidePath)? {
        let (base, path): (ExpressionSyntax, String)
        switch self {
        case .keyPath(let text): (base, path) = (.evaluatedObject, text)
        case .keyPathOn(let operand, let text): (base, path) = (operand, text)
        default: return nil
        }
        guard path.utf8.contains(UInt8(ascii: "/")) else { return nil }
        var keys = KeyPathTranslator.components(path)
        guard let last = keys.popLast(), let inside = InsidePath(key: last) else { return nil }
        return (keys.isEmpty ? base : .keyPathOn(base, keys.joined(separator: ".")), inside)
    }
}

extension PredicateTranslator {
    /// - Returns: nil for a comparison of other values.
    /// - Throws: `NotTranslatable` without an index of the path, and for a comparison that an index does not answer.
    func valueCandidates(_ comparison: ComparisonSyntax, _ negated: Bool) throws -> SQLText? {
        guard let (owner, path, operation, constant) = inside(comparison) else { return nil }
        guard let values = expressions.place.level.values else {
            throw NotTranslatable(reason: "a path without an index")
        }
        guard let wanted = wanted(operation, constant, comparison, negated) else {
            throw NotTranslatable(reason: "an index of values does not answer this comparison")
        }
        func condition(_ key: SQLText, _ layout: EntityLayout) throws -> SQLText {
            guard let found = try values.candidates(path, wanted, key: key, of: layout) else {
                throw NotTranslatable(reason: "a path without an index")
            }
            return found
        }
        switch try expressions.path(owner) {
        case .object(let key, _, let layout): return try condition(key, layout)
        case .members(let owner, let slot, let rest) where comparison.modifier == .any:
            return try exists(owner, slot, rest, negated: false) { operand in
                guard case .object(let layout) = operand.kind else {
                    throw NotTranslatable(reason: "a path into a computed value")
                }
                return try condition(operand.sql, layout)
            }
        default: throw NotTranslatable(reason: "a path into a computed value")
        }
    }

    private typealias Inside = (
        owner: ExpressionSyntax, path: InsidePath, operation: ComparisonSyntax.Operator, constant: ExpressionSyntax
    )

    private func inside(_ comparison: ComparisonSyntax) -> Inside? {
        if let (owner, path) = comparison.left.insidePath {
            return (owner, path, comparison.operation, comparison.right)
        }
        guard let (owner, path) = comparison.right.insidePath else { return nil }
        // An index answers no operation that cannot be mirrored.
        return (owner, path, Self.mirrored(comparison.operation) ?? .custom, comparison.left)
    }

    private func wanted(
        _ operation: ComparisonSyntax.Operator, _ side: ExpressionSyntax, _ comparison: ComparisonSyntax,
        _ negated: Bool
    ) -> WantedEntries? {
        let folding = StringFolding(comparison.options)
        if case .constant(let value) = side, presentValue(value) == nil {
            guard comparison.modifier == .direct else { return nil }
            switch operation {
            case .equalTo: return negated ? .present : .absent
            case .notEqualTo: return negated ? .absent : .present
            default: return nil
            }
        }
        // ALL holds without members, and a negated comparison without a value.
        guard comparison.modifier != .all else { return nil }
        guard !negated || operation == .notEqualTo && comparison.modifier == .direct else { return nil }
        switch operation {
        case .equalTo, .notEqualTo:
            guard negated == (operation == .notEqualTo), let value = side.presentConstant else { return nil }
            return IndexedValue.equal(to: value, ignoring: !folding.isIdentity).map { .equal($0) }
        case .in:
            guard let members = side.listElements, members.count <= 1000 else { return nil }
            var entries: [ColumnValue] = []
            for member in members {
                guard let value = member.presentConstant,
                    let equal = IndexedValue.equal(to: value, ignoring: !folding.isIdentity)
                else { return nil }
                entries += equal
            }
            return .equal(entries)
        case .lessThan, .lessThanOrEqualTo: return range(nil, side.presentConstant, folding)
        case .greaterThan, .greaterThanOrEqualTo: return range(side.presentConstant, nil, folding)
        case .between:
            guard let bounds = side.listElements, bounds.count == 2, let least = bounds[0].presentConstant,
                let greatest = bounds[1].presentConstant
            else { return nil }
            return range(least, greatest, folding)
        case .beginsWith:
            guard let prefix = side.presentConstant as? String else { return nil }
            return .ranges(IndexedValue.ranges(beginningWith: prefix))
        default: return nil
        }
    }

    private func range(_ least: Any?, _ greatest: Any?, _ folding: StringFolding) -> WantedEntries? {
        IndexedValue.range(from: least, to: greatest, ignoring: !folding.isIdentity).map { .ranges([$0]) }
    }
}

extension ExpressionSyntax {
    fileprivate var presentConstant: Any? {
        if case .constant(let value) = self { presentValue(value) } else { nil }
    }
}
