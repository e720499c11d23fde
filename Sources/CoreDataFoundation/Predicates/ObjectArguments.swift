// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the arguments of formats that are predicates, expressions, search queries or typed key paths.

import Foundation
package import PredicateLanguage

/// Predicates and expressions are replaced by their trees, those of users' subclasses by a call of the object.
package enum ObjectArguments: FormatArgumentReading {
    package static let allowsUnknownFunctions = false

    package static func keyPath(_ argument: Any) -> String? {
        FormatArguments.object(argument, as: AnyKeyPath.self).map(KeyPathNames.name) ?? nil
    }

    package static func tree(_ argument: Any) -> (tree: FormatArgumentTree, depth: Int)? {
        // Texts can be printed, archived and compared; a query is parsed again when it is evaluated.
        if let query = argument as? SearchQuery { return (.expression(.constant(query.description)), 1) }
        if let predicate = FormatArguments.object(argument, as: NSPredicate.self) {
            let syntax = predicate.evaluatedSyntax
            return (.predicate(syntax), syntax.depth)
        }
        return FormatArguments.object(argument, as: NSExpression.self).map { (.expression($0.syntax), $0.depth) }
    }
}

extension PredicateSyntax {
    /// Reads a predicate with arguments of any type.
    package static func parsing(_ format: String, arguments: [Any?] = []) throws(PredicateFormatError)
        -> PredicateSyntax
    {
        try parsing(format, arguments: arguments, reading: ObjectArguments.self)
    }
}

extension ExpressionSyntax {
    /// Reads an expression with arguments of any type.
    package static func parsing(_ format: String, arguments: [Any?] = []) throws(PredicateFormatError)
        -> ExpressionSyntax
    {
        try parsing(format, arguments: arguments, reading: ObjectArguments.self)
    }
}
