// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles MATCHING, the operator of full-text search.

import Foundation

extension ExpressionCompiler {
    /// The left side is an object, the members of a to-many relationship, or an attribute, which is searched with the
    /// tokenizer of its entity. So the attribute's owner is read, not the text.
    func compile(search comparison: ComparisonSyntax) throws -> CompiledPredicate {
        let ready = try compile(query: comparison.right)
        if let property = try searchedProperty(comparison.left, comparison.modifier) {
            let reader = try KeyPathReader(property.key)
            switch comparison.modifier {
            case .direct:
                return .asking { frame in
                    let search = try ready(frame)
                    return try property.owners(frame).contains { try search.matches(reader, of: $0, isMany: false) }
                }
            case .any:
                return .asking { frame in
                    let search = try ready(frame)
                    return try property.owners(frame).contains { try search.matches(reader, of: $0, isMany: true) }
                }
            case .all:
                return .asking { frame in
                    let search = try ready(frame)
                    return try property.owners(frame).allSatisfy { try search.matchesAll(reader, of: $0) }
                }
            }
        }
        switch comparison.modifier {
        case .direct:
            let left = try compile(comparison.left)
            return .asking { try ready($0).matches(try left.value(in: $0)) }
        case .any:
            let members = try compileMembers(comparison.left)
            return .asking { frame in
                let search = try ready(frame)
                return try members(frame).contains { try search.matches($0) }
            }
        case .all:
            let members = try compileMembers(comparison.left)
            return .asking { frame in
                let search = try ready(frame)
                return try members(frame).allSatisfy { try search.matches($0) }
            }
        }
    }

    private func compile(query: ExpressionSyntax) throws -> (EvaluationFrame) throws -> SearchTest {
        let query = try compile(query)
        if case .constant(let value) = query {
            let test = try test(of: value)
            return { _ in test }
        }
        return { try test(of: query.value(in: $0)) }
    }

    private func test(of query: Any?) throws -> SearchTest {
        do {
            return try SearchTest(of: query, takesAnyFilter: takesAnyText)
        } catch is SearchQueryError where takesAnyText {
            return SearchTest(nil)
        }
    }

    private struct SearchedProperty {
        /// The objects before the last key of a key path.
        let owners: (EvaluationFrame) throws -> [Any?]
        let key: String
    }

    /// nil for an expression that is no key path.
    private func searchedProperty(
        _ expression: ExpressionSyntax, _ modifier: ComparisonSyntax.Modifier
    ) throws -> SearchedProperty? {
        let (base, path): (ExpressionSyntax, String)
        switch expression {
        case .keyPath(let text): (base, path) = (.evaluatedObject, text)
        case .keyPathOn(let operand, let text): (base, path) = (operand, text)
        default: return nil
        }
        var keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let last = keys.popLast(), !path.contains("@") else { return nil }
        let owner = keys.isEmpty ? base : PredicateParser.path(keys.joined(separator: "."), on: base)
        if modifier != .direct, !keys.isEmpty {
            return SearchedProperty(owners: try compileMembers(owner), key: last)
        }
        let object = try compile(owner)
        return SearchedProperty(owners: { [try object.value(in: $0)] }, key: last)
    }
}
