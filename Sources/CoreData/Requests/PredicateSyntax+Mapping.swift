// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces parts of predicates: constants by keys, key paths of constants by their values, aggregates by their values.

import CoreDataFoundation
import Foundation

extension PredicateSyntax {
    /// The same predicate with other constants.
    func mappingConstants(_ transform: (Any?) -> Any?) -> PredicateSyntax {
        mapping { expression in
            if case .constant(let value) = expression { .constant(transform(value)) } else { nil }
        }
    }

    /// The same predicate with the values of key paths that begin at an object in a constant, such as
    /// `$FETCH_SOURCE.name`.
    ///
    /// - Throws: an error if such an object does not have the key.
    func readingConstants() throws -> PredicateSyntax {
        try mapping { expression in
            guard case .keyPathOn(.constant(let object), let path) = expression else { return nil }
            return .constant(try value(atKeyPath: path, of: object))
        }
    }

    /// Whether the predicate calls a block or an operator of the program.
    var hasCode: Bool {
        switch self {
        case .constant: return false
        case .block: return true
        case .and(let parts), .or(let parts): return parts.contains(where: \.hasCode)
        case .not(let part): return part.hasCode
        case .comparison(let comparison):
            if comparison.operation == .custom { return true }
            return comparison.left.hasCode || comparison.right.hasCode
        }
    }

    /// The conditions without code that the predicate implies; nil if it implies no such condition.
    var withoutCode: PredicateSyntax? {
        if !hasCode { return self }
        guard case .and(let parts) = self else { return nil }
        let left = parts.compactMap(\.withoutCode)
        return left.isEmpty ? nil : .and(left)
    }

    /// - Parameter replacement: the expression to use in place of another one; nil to map its parts.
    func mapping(_ replacement: (ExpressionSyntax) throws -> ExpressionSyntax?) rethrows -> PredicateSyntax {
        switch self {
        case .constant, .block: return self
        case .and(let parts): return .and(try parts.map { try $0.mapping(replacement) })
        case .or(let parts): return .or(try parts.map { try $0.mapping(replacement) })
        case .not(let part): return .not(try part.mapping(replacement))
        case .comparison(var comparison):
            comparison.left = try comparison.left.mapping(replacement)
            comparison.right = try comparison.right.mapping(replacement)
            return .comparison(comparison)
        }
    }
}

extension ExpressionSyntax {
    /// The same expression with other constants.
    func mappingConstants(_ transform: (Any?) -> Any?) -> ExpressionSyntax {
        mapping { expression in
            if case .constant(let value) = expression { .constant(transform(value)) } else { nil }
        }
    }

    var hasCode: Bool {
        var found = false
        _ = mapping { expression in
            switch expression {
            case .block: found = true
            case .subquery(_, _, let predicate): found = found || predicate.hasCode
            case .conditional(let condition, _, _): found = found || condition.hasCode
            default: break
            }
            return nil
        }
        return found
    }

    /// - Parameter replacement: the expression to use in place of another one; nil to map its parts.
    func mapping(_ replacement: (ExpressionSyntax) throws -> ExpressionSyntax?) rethrows -> ExpressionSyntax {
        if let replaced = try replacement(self) { return replaced }
        switch self {
        case .keyPathOn(let base, let path): return .keyPathOn(try base.mapping(replacement), path)
        case .function(let name, let arguments):
            return .function(name: name, arguments: try arguments.map { try $0.mapping(replacement) })
        case .aggregate(let parts): return .aggregate(try parts.map { try $0.mapping(replacement) })
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                collection: try collection.mapping(replacement), variable: variable,
                predicate: try predicate.mapping(replacement))
        case .setOperation(let operation, let one, let other):
            return .setOperation(operation, try one.mapping(replacement), try other.mapping(replacement))
        case .conditional(let condition, let one, let other):
            return .conditional(
                try condition.mapping(replacement), try one.mapping(replacement), try other.mapping(replacement))
        case .index(let base, let position): return .index(try base.mapping(replacement), position)
        case .block(let block, let arguments):
            return .block(block, arguments: try arguments.map { try $0.mapping(replacement) })
        case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: return self
        }
    }
}
