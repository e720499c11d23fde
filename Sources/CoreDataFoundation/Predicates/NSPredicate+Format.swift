// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates predicates from text, with Apple's initializers.

public import Foundation

/// Adds initializers from text to Foundation's predicate class. An initializer in a protocol extension may assign
/// `self`, so it can return the subclass for the text; one in an extension of the class cannot.
public protocol PredicateParsing {}

extension NSPredicate: PredicateParsing {}

extension PredicateParsing where Self: NSPredicate {
    /// Parses a predicate in the predicate format language.
    ///
    /// Traps for a malformed text, with a message and the position; `NSPredicate.parsing(_:arguments:)` throws instead.
    /// - Parameter arguments: the values of the placeholders outside of quotes, in order: a value for `%@`, a key path
    ///   for `%K`, a number for `%d` and similar ones.
    public init(format predicateFormat: String, _ arguments: Any?...) {
        self = Self.parsed(predicateFormat, arguments)
    }

    /// Parses a predicate. Traps for a malformed text, with a message and the position.
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

extension PredicateParsing where Self == NSPredicate {
    /// A predicate without a condition, as a placeholder: everything matches it.
    public init() { self = NSPredicate(value: true) }
}

extension NSPredicate {
    /// Parses a predicate from text that may be malformed, such as user input or file contents.
    ///
    /// - Throws: an error. Its description contains the reason and marks the position.
    public static func parsing(
        _ format: String, arguments: [Any?] = []
    ) throws(PredicateFormatError) -> NSPredicate {
        try PredicateSyntax.parsing(format, arguments: arguments).predicate
    }

    /// Replaces variables by values.
    ///
    /// - Returns: this predicate if it contains none of the variables. Variables without a value remain.
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

    /// Allows the evaluation of a predicate from secure decoding. Other predicates need no permission.
    public func allowEvaluation() {
        if let comparison = self as? NSComparisonPredicate { return comparison.permitEvaluation() }
        for part in (self as? NSCompoundPredicate)?.subpredicates ?? [] { part.allowEvaluation() }
    }
}
