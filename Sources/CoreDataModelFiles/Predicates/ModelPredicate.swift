// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and spells the predicates and expressions of models, which are text in sources and archives in compiled files.

package import PredicateLanguage

/// Predicates and expressions of models. They have no arguments, and may call functions of any name.
package enum ModelPredicate {
    private enum Arguments: FormatArgumentReading {
        static let allowsUnknownFunctions = true
        static func keyPath(_ argument: Any) -> String? { nil }
        static func tree(_ argument: Any) -> (tree: FormatArgumentTree, depth: Int)? { nil }
    }

    /// - Throws: `ModelFileError` of the kind `unsupportedForm`, with the text and the mistake in it.
    static func predicate(_ text: String) throws -> PredicateSyntax {
        do { return try PredicateSyntax.parsing(text, reading: Arguments.self) } catch { throw failure(text, error) }
    }

    /// - Throws: as `predicate(_:)`.
    static func expression(_ text: String) throws -> ExpressionSyntax {
        do { return try ExpressionSyntax.parsing(text, reading: Arguments.self) } catch { throw failure(text, error) }
    }

    /// The tree of an expression.
    ///
    /// - Throws: `ModelFileError` of the kind `unsupportedForm`, with the text and the mistake in it.
    package static func tree(ofExpression text: String) throws -> ExpressionSyntax { try expression(text) }

    private static func failure(_ text: String, _ error: PredicateFormatError) -> ModelFileError {
        ModelFileError(
            .unsupportedForm,
            "The predicate '\(text)' cannot be read at character \(error.offset + 1): \(error.message)")
    }

    /// - Throws: `unsupportedForm` for a constant that models' texts cannot spell.
    static func text(of predicate: PredicateSyntax) throws -> String {
        try predicate.visitExpressions(checkSpelling)
        return printer.text(of: predicate)
    }

    /// - Throws: as for predicates.
    static func text(of expression: ExpressionSyntax) throws -> String {
        try expression.visitExpressions(checkSpelling)
        return printer.text(of: expression)
    }

    private static func checkSpelling(_ expression: ExpressionSyntax) throws {
        if case .constant(let value) = expression { _ = try PredicateConstant.text(of: value) }
    }

    /// For trees with checked constants.
    private static let printer = PredicatePrinter { (try? PredicateConstant.text(of: $0)) ?? PredicateSpelling.null }

    /// The same predicate in the spelling of compiled models; nil for text that cannot be parsed.
    package static func canonical(predicate text: String) -> String? {
        (try? predicate(text)).flatMap { try? self.text(of: $0) }
    }

    package static func canonical(expression text: String) -> String? {
        (try? expression(text)).flatMap { try? self.text(of: $0) }
    }
}
