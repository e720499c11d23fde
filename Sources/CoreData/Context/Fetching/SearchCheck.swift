// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks full-text searches in a predicate before a store receives it.

import CoreDataFoundation
import Foundation

/// Checks that the left side of MATCHING has searched attributes, and that the right side is a query for them.
struct SearchCheck {
    let model: ModelLayout

    /// - Parameters:
    ///   - left: the left side, if it is a key path.
    ///   - variables: the entities of the variables of enclosing subqueries.
    /// - Throws: `SearchQueryError` for a text that is no query; 134060 for an entity or an attribute that is not
    ///   searched, and for several objects without ANY or ALL.
    func check(
        _ comparison: ComparisonSyntax, _ left: CheckedPath?, from layout: EntityLayout,
        _ variables: [String: EntityLayout]
    ) throws {
        guard let (owner, attribute) = try target(comparison, left, layout, variables) else { return }
        do {
            // A query that is known only for an object: any word shows whether the attributes are searched.
            var query = SearchQuery(userText: "a")
            if case .constant(let value) = comparison.right { query = try SearchTest.query(of: value) ?? query }
            _ = try owner.resolved(query, in: attribute)
        } catch let error as SearchError {
            throw CoreDataError.general(error.description)
        }
    }

    /// The entity whose objects are searched, and the attribute, if the path ends at one; nil for other expressions.
    private func target(
        _ comparison: ComparisonSyntax, _ left: CheckedPath?, _ layout: EntityLayout,
        _ variables: [String: EntityLayout]
    ) throws -> (owner: EntityLayout, attribute: String?)? {
        guard let left else {
            switch comparison.left {
            case .evaluatedObject: return (layout, nil)
            case .variable(let name): return variables[name].map { ($0, nil) }
            default: return nil
            }
        }
        guard left.path.tail == .value else { return nil }
        if comparison.modifier == .direct,
            left.path.steps.contains(where: { model.layouts[$0.layoutIndex][$0.slot].kind == .toMany })
        {
            throw CoreDataError.general(
                "'\(left.layout.name).\(left.text)' goes through a to-many relationship to many objects: write ANY, ALL or "
                    + "NONE before it.")
        }
        guard let last = left.path.steps.last else { return (left.layout, nil) }
        let owner = model.layouts[last.layoutIndex]
        let place = owner[last.slot]
        if place.kind == .reference || place.kind == .toMany { return (model.layouts[Int(place.destination)], nil) }
        return (owner, owner.properties[last.slot].name)
    }
}
