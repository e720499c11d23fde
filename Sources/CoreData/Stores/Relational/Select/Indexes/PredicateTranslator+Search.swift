// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates MATCHING to a condition that a full-text index answers.

import CoreDataFoundation
import Foundation

extension PredicateSyntax {
    /// Whether any part, also of a subquery, is a full-text search.
    package var containsSearch: Bool {
        var found = hasSearch
        visitExpressions { expression in
            if case .subquery(_, _, let predicate) = expression, predicate.hasSearch { found = true }
        }
        return found
    }

    private var hasSearch: Bool {
        switch self {
        case .constant, .block: false
        case .comparison(let comparison): comparison.operation == .matching
        case .and(let parts), .or(let parts): parts.contains { $0.hasSearch }
        case .not(let part): part.hasSearch
        }
    }
}

extension PredicateTranslator {
    /// - Throws: `NotTranslatable` without an index of the searched attributes.
    func search(_ comparison: ComparisonSyntax, _ negated: Bool) throws -> SQLText {
        guard let searches = expressions.place.level.searches else {
            throw NotTranslatable(reason: "a search without a full-text index")
        }
        guard case .constant(let value) = comparison.right else {
            throw NotTranslatable(reason: "a search for a computed query")
        }
        if findsCandidates, negated || comparison.modifier == .all {
            throw NotTranslatable(reason: "the candidates of a search tell nothing of other objects")
        }
        let query = try SearchTest.query(of: value)
        func condition(_ key: SQLText, _ layout: EntityLayout, _ attribute: String?) throws -> SQLText {
            guard let query else { return expressions.schema.dialect.no }
            let resolved: ResolvedSearch?
            do {
                resolved = try layout.resolved(query, in: attribute)
            } catch {
                throw NotTranslatable(reason: error.description)
            }
            guard let resolved else { return expressions.schema.dialect.no }
            if findsCandidates {
                guard let found = try searches.candidates(resolved, key: key, of: layout) else {
                    throw NotTranslatable(reason: "a search without a full-text index")
                }
                return found
            }
            return try searches.condition(resolved, key: key, of: layout)
        }
        let (found, attribute) = try target(comparison.left)
        switch found {
        case .object(let key, _, let layout):
            let found = try condition(key, layout, attribute)
            return negated ? "NOT \(expressions.schema.dialect.orFalse(found))" : found
        case .members(let owner, let slot, let rest) where comparison.modifier != .direct:
            let holdsForAll = comparison.modifier == .all
            return try exists(owner, slot, rest, negated: negated != holdsForAll) { operand in
                guard case .object(let layout) = operand.kind else {
                    throw NotTranslatable(reason: "a search in values")
                }
                let found = try condition(operand.sql, layout, attribute)
                return holdsForAll ? "NOT \(expressions.schema.dialect.orFalse(found))" : found
            }
        case .members, .attribute, .composite, .entity, nil:
            throw NotTranslatable(reason: "a search in a computed value")
        }
    }

    /// A condition that holds for at least the objects that match a predicate with searches or paths into values; nil
    /// for other predicates, and without an index that narrows one of them.
    package func candidates(_ predicate: PredicateSyntax) throws -> SQLText? {
        let level = expressions.place.level
        guard level.searches != nil && predicate.containsSearch || level.values != nil && predicate.comparesInside
        else {
            return nil
        }
        var translator = self
        translator.findsCandidates = true
        do {
            return try translator.condition(predicate)
        } catch is NotTranslatable {
            return nil
        }
    }

    /// The searched object or objects, and the attribute if the path ends at one.
    private func target(_ expression: ExpressionSyntax) throws -> (PathEnd?, attribute: String?) {
        let end = try expressions.path(expression)
        switch end {
        case .attribute: break
        case .members(let owner, let slot, let rest) where endsAtAttribute(rest, slot, owner.layout): break
        default: return (end, nil)
        }
        let (base, path): (ExpressionSyntax, String)
        switch expression {
        case .keyPath(let text): (base, path) = (.evaluatedObject, text)
        case .keyPathOn(let operand, let text): (base, path) = (operand, text)
        default: return (nil, nil)
        }
        var keys = KeyPathTranslator.components(path)
        guard let attribute = keys.popLast() else { return (nil, nil) }
        let owner: ExpressionSyntax = keys.isEmpty ? base : .keyPathOn(base, keys.joined(separator: "."))
        return (try expressions.path(owner), attribute)
    }

    private func endsAtAttribute(_ path: [String], _ slot: Int, _ owner: EntityLayout) -> Bool {
        let model = expressions.schema.model
        var layout = model.layouts[Int(owner[slot].destination)]
        for name in path {
            guard let slot = layout.slot(name) else { return false }
            switch layout[slot].kind {
            case .reference, .toMany: layout = model.layouts[Int(layout[slot].destination)]
            default: return true
            }
        }
        return false
    }
}
