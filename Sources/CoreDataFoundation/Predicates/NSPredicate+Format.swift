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
    /// Pass values by placeholders, never by string interpolation: a quotation mark in a value would change the
    /// condition.
    ///
    /// ```swift
    /// let byPrefix = NSPredicate(format: "title BEGINSWITH[cd] %@", "g")  // a value
    /// let byKey = NSPredicate(format: "%K IN %@", key, names)  // a key path and an array
    /// let recent = NSPredicate(format: "created > %@", Date(timeIntervalSinceNow: -3600) as NSDate)
    /// let all = NSCompoundPredicate(andPredicateWithSubpredicates: [byPrefix, byKey, recent])
    /// ```
    ///
    /// - Parameters:
    ///   - predicateFormat: a condition, such as `name BEGINSWITH[cd] %@ AND ANY tags.name == "weekly"`.
    ///   - arguments: the values of the placeholders outside of quotes, in order: a value for `%@`, a key path for
    ///     `%K`, a number for `%d` and similar ones. nil and `NSNull` compare with a missing value.
    /// - Important: traps for a malformed text, with a message and the position; `NSPredicate.parsing(_:arguments:)`
    ///   throws instead: use it for text of users. Names are not checked here: a fetch throws 134060 for a key that the
    ///   entity lacks.
    /// - Complexity: the text is parsed at each call. Simple comparisons with other values share one statement.
    /// - SeeAlso: `NSFetchRequest.predicate`, `NSPredicate.parsing(_:arguments:)`, `NSCompoundPredicate`.
    /// - Source: Predicate Programming Guide, "Predicate Format String Syntax".
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
