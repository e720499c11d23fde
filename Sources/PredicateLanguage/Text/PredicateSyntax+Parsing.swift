// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parses predicates and expressions of the format language to syntax trees.

extension PredicateSyntax {
    /// Reads a predicate.
    ///
    /// - Parameter arguments: the values of the placeholders outside of quotes, in order.
    /// - Complexity: linear in the text.
    package static func parsing(
        _ format: String, arguments: [Any?] = [], reading: any FormatArgumentReading.Type
    ) throws(PredicateFormatError) -> PredicateSyntax {
        var parser = try PredicateParser(format, arguments: arguments, reading: reading)
        return try parser.wholePredicate()
    }
}

extension ExpressionSyntax {
    /// Reads an expression, such as `price * (1 + $rate)`.
    package static func parsing(
        _ format: String, arguments: [Any?] = [], reading: any FormatArgumentReading.Type
    ) throws(PredicateFormatError) -> ExpressionSyntax {
        var parser = try PredicateParser(format, arguments: arguments, reading: reading)
        return try parser.wholeExpression()
    }
}
