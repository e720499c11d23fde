// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts values in the place of variables.

package import PredicateLanguage

extension PredicateSyntax {
    /// Puts values in the place of variables; an expression object is replaced by its tree.
    ///
    /// - Parameter values: by name, without the dollar sign. Variables that are not among them stay.
    package func substituting(_ values: [String: Any]) -> PredicateSyntax {
        replacingExpressions { $0.substitute(for: values) }
    }
}

extension ExpressionSyntax {
    /// Puts values in the place of variables.
    package func substituting(_ values: [String: Any]) -> ExpressionSyntax {
        replacingExpressions { $0.substitute(for: values) }
    }

    fileprivate func substitute(for values: [String: Any]) -> ExpressionSyntax? {
        switch self {
        case .variable(let name):
            guard let value = values[name] else { return nil }
            return FormatArguments.object(value, as: NSExpression.self)?.syntax
                ?? .constant(FormatArguments.unwrapped(value))
        case .subquery(let collection, let variable, let predicate) where values[variable] != nil:
            // The subquery's own variable hides the one outside.
            let others = values.filter { $0.key != variable }
            return .subquery(
                collection: collection.substituting(values), variable: variable,
                predicate: predicate.substituting(others))
        default: return nil
        }
    }
}
