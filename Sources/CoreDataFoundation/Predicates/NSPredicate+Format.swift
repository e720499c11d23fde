// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes predicates from text, under the names that Apple gives.

public import Foundation

/// Gives Foundation's predicate class the initializers from text. An initializer in an extension of a protocol may
/// assign `self`, so it can return the subclass that the text asks for; one in an extension of the class cannot.
public protocol PredicateParsing {}

extension NSPredicate: PredicateParsing {}

extension PredicateParsing where Self: NSPredicate {
    /// Reads a predicate from text in the predicate format language.
    ///
    /// Traps when the text is wrong, with a sentence and the place; `NSPredicate.parsing(_:arguments:)` throws instead.
    /// - Parameter arguments: for the placeholders outside quotes, in order: `%@` a value, `%K` a key path, `%d` and its
    ///   like a number.
    public init(format predicateFormat: String, _ arguments: Any?...) {
        self = Self.parsed(predicateFormat, arguments)
    }

    /// Reads a predicate from text. Traps when the text is wrong, with a sentence and the place.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = Self.parsed(predicateFormat, (arguments ?? []).map(Optional.some))
    }

    private static func parsed(_ format: String, _ arguments: [Any?]) -> Self {
        do throws(PredicateFormatError) {
            let predicate = try PredicateSyntax.parsing(format, arguments: arguments).predicate
            guard let predicate = predicate as? Self else {
                preconditionFailure("'\(format)' is no \(Self.self); use NSPredicate(format:).")
            }
            return predicate
        } catch {
            preconditionFailure("Write the predicate's format otherwise. \(error)")
        }
    }
}

extension NSPredicate {
    /// Reads a predicate from text that may be wrong, such as a user's or a file's.
    ///
    /// - Throws: an error whose description says what is wrong and shows the place.
    public static func parsing(
        _ format: String, arguments: [Any?] = []
    ) throws(PredicateFormatError) -> NSPredicate {
        try PredicateSyntax.parsing(format, arguments: arguments).predicate
    }

    /// Puts values in the place of the variables that they name.
    ///
    /// - Returns: this predicate when it has no such variable. Variables without a value stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let syntax = syntax
        var substituted = syntax.substituting(variables)
        guard substituted != syntax else { return self }
        if variables.values.contains(where: { $0 is NSExpression }),
            substituted.depth > PredicateDepth.maximum
        {
            substituted = .tooDeep
        }
        return substituted.predicate as? Self ?? self
    }

    /// Lets a predicate that was read securely from an archive be evaluated. Others need no leave.
    public func allowEvaluation() {
        if let comparison = self as? NSComparisonPredicate { return comparison.permitEvaluation() }
        for part in (self as? NSCompoundPredicate)?.subpredicates ?? [] { part.allowEvaluation() }
    }
}
