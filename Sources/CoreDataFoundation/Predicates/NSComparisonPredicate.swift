// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The predicate that compares two expressions.

public import Foundation

/// Compares the values of two expressions. Immutable.
open class NSComparisonPredicate: NSPredicate, NSSecureCoding {
    /// The quantifier for the members of a to-many left side. Raw values are Darwin's.
    public enum Modifier: UInt, Sendable {
        /// No quantifier: the values of the two sides are compared as they are.
        case direct = 0
        /// ALL: the comparison holds for every member of the left side. True for an empty left side.
        case all = 1
        /// ANY or SOME: the comparison holds for at least one member of the left side. False for an empty left side.
        case any = 2
    }

    /// Raw values are Darwin's.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan = 0
        /// `<=` or `=<`
        case lessThanOrEqualTo = 1
        /// `>`
        case greaterThan = 2
        /// `>=` or `=>`
        case greaterThanOrEqualTo = 3
        /// `=` or `==`
        case equalTo = 4
        /// `!=` or `<>`
        case notEqualTo = 5
        /// MATCHES: the whole left string matches the regular expression on the right side.
        case matches = 6
        /// LIKE: the whole left string matches a pattern, where `*` matches any characters and `?` matches one.
        case like = 7
        /// BEGINSWITH: the left string starts with the right one.
        case beginsWith = 8
        /// ENDSWITH: the left string ends with the right one.
        case endsWith = 9
        /// IN: the left value is a member of the right collection, or the left string is part of the right one.
        case `in` = 10
        /// A closure replaces the selector.
        case customSelector = 11
        /// CONTAINS: the right value is a member of the left collection, or the right string is part of the left one.
        case contains = 99
        /// BETWEEN: the left value lies within the two bounds of the right array, bounds included.
        case between = 100
    }

    /// The options of string comparisons. Raw values are Darwin's.
    public struct Options: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// `[c]`: upper and lower case are equal.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: letters with and without diacritics are equal.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: strings are compared byte by byte, because the program has folded them already. The other options
        /// have no effect then.
        public static let normalized = Options(rawValue: 4)
    }

    let comparison: ComparisonSyntax
    private let evaluators = EvaluatorPool()
    private let sides: (left: NSExpression, right: NSExpression)
    let permit: EvaluationPermit?

    /// - Parameter type: any except `customSelector`, which has a separate initializer.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        guard type != .customSelector, let operation = ComparisonSyntax.Operator(rawValue: type.rawValue) else {
            preconditionFailure("Use init(leftExpression:rightExpression:matching:) for a comparison of your own.")
        }
        comparison = ComparisonSyntax(
            lhs.syntax, operation, rhs.syntax,
            modifier: ComparisonSyntax.Modifier(rawValue: modifier.rawValue) ?? .direct,
            options: ComparisonSyntax.Options(rawValue: options.rawValue))
        sides = (lhs, rhs)
        permit = nil
        super.init(block: Self.unused)
    }

    /// Compares with a closure instead of Darwin's custom selector; no store can translate it.
    ///
    /// - Parameter match: receives the values of the left and the right side.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression,
        matching match: @escaping (Any?, Any?) -> Bool
    ) {
        comparison = ComparisonSyntax(lhs.syntax, .custom, rhs.syntax, match: PredicateMatch(match))
        sides = (lhs, rhs)
        permit = nil
        super.init(block: Self.unused)
    }

    package init(_ comparison: ComparisonSyntax) {
        self.comparison = comparison
        sides = (NSExpression(comparison.left), NSExpression(comparison.right))
        permit = nil
        super.init(block: Self.unused)
    }

    /// nil if the archive contains no complete comparison. After secure decoding, evaluation must first be allowed.
    public required init?(coder: NSCoder) {
        guard let comparison = PredicateArchive.nested(coder, { $0.comparison() }) else { return nil }
        self.comparison = comparison
        sides = (NSExpression(comparison.left), NSExpression(comparison.right))
        permit = EvaluationPermit(coder)
        super.init(block: Self.unused)
    }

    /// Traps for closures, and for constants that cannot be archived.
    open func encode(with coder: NSCoder) {
        PredicateArchive.writing(coder) { $0.write(comparison) }
    }

    /// True: archives of comparisons can be read with secure decoding.
    open class var supportsSecureCoding: Bool { true }

    final func permitEvaluation() { permit?.grant() }

    // Foundation's initializers require a block or a value; with a value, Foundation would consider this predicate
    // equal to TRUEPREDICATE.
    private static func unused(_: Any?, _: [String: Any]?) -> Bool {
        preconditionFailure("A comparison is asked through evaluate(with:).")
    }

    /// The operator of the comparison. `customSelector` also represents a closure, and MATCHING.
    open var predicateOperatorType: Operator { Operator(rawValue: comparison.operation.rawValue) ?? .customSelector }
    /// Whether one or all members of a to-many left side must match.
    open var comparisonPredicateModifier: Modifier { Modifier(rawValue: comparison.modifier.rawValue) ?? .direct }
    /// The left side.
    open var leftExpression: NSExpression { sides.left }
    /// The right side.
    open var rightExpression: NSExpression { sides.right }
    /// How strings are compared.
    open var options: Options { Options(rawValue: comparison.options.rawValue) }

    /// Traps with a message if the object has no such key, or if values cannot be compared.
    open override func evaluate(with object: Any?) -> Bool { evaluate(with: object, substitutionVariables: nil) }

    /// - Parameter bindings: the values of variables, by name without the dollar sign.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        permit?.check("The predicate '\(comparison)'")
        do {
            return try evaluators.matches(ownSyntax, object, variables: bindings)
        } catch {
            preconditionFailure("The predicate '\(comparison)' cannot be asked of this object: \(error).")
        }
    }

    // MARK: NSObject

    open override func copy(with zone: NSZone? = nil) -> Any { self }
    open override func isEqual(_ object: Any?) -> Bool { hasSameSyntax(as: object) }
    open override var hash: Int { syntax.hashOfKeyPaths }
    open override var description: String { comparison.description }
    open override var predicateFormat: String { comparison.description }
}

extension NSComparisonPredicate: PredicateWithSyntax {
    var ownSyntax: PredicateSyntax { .comparison(comparison) }
}
