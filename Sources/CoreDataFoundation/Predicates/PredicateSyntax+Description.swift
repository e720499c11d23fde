// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes trees by their text in the format language.

package import PredicateLanguage

extension PredicateSyntax: CustomStringConvertible {
    package var description: String { PredicatePrinter(constant: PredicateConstants.text).text(of: self) }
}

extension ComparisonSyntax: CustomStringConvertible {
    package var description: String { PredicatePrinter(constant: PredicateConstants.text).text(of: self) }
}

extension ExpressionSyntax: CustomStringConvertible {
    package var description: String { PredicatePrinter(constant: PredicateConstants.text).text(of: self) }
}
