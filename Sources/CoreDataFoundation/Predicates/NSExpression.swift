// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One side of a comparison, as an object with its type, value and equality.

public import Foundation

/// A constant, or a computation on the object for which a predicate is evaluated.
///
/// Immutable, so it is thread-safe if its constants are.
open class NSExpression: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The kind of an expression. Raw values are Darwin's.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// SELF: the object for which the predicate is evaluated.
        case evaluatedObject = 1
        /// `$name`: a value that is set later, as a substitution variable or by SUBQUERY.
        case variable = 2
        /// A key path, read from the evaluated object or from the value of the operand.
        case keyPath = 3
        /// A function of arguments, such as `sum:` or `FUNCTION(operand, "name")`.
        case function = 4
        /// UNION: the members of either collection.
        case unionSet = 5
        /// INTERSECT: the members of both collections.
        case intersectSet = 6
        /// MINUS: the members of the left collection that the right one does not have.
        case minusSet = 7
        /// SUBQUERY: the members of a collection that match a predicate.
        case subquery = 13
        /// `{a, b}`: an array of expressions.
        case aggregate = 14
        /// ANY KEY. It has no value.
        case anyKey = 15
        /// The result of a closure. Stores cannot translate it.
        case block = 19
        /// TERNARY: one of two expressions, as a predicate decides.
        case conditional = 20
        /// FETCH: the result of a fetch request. `NSFetchRequestExpressionType` is Apple's name.
        case fetchRequest = 50
    }

    /// The kind of the expression. It determines which of the other properties may be read.
    public let expressionType: ExpressionType
    private let storedSyntax: ExpressionSyntax?
    /// nil if only a walk of the tree can determine it.
    private let knownDepth: Int?
    private let permit: EvaluationPermit?

    package init(_ syntax: ExpressionSyntax) {
        storedSyntax = syntax
        knownDepth = nil
        expressionType = syntax.type
        permit = nil
        super.init()
    }

    /// For expressions made of objects with known depths: a tree beyond the depth limit is replaced.
    init(_ syntax: ExpressionSyntax, above parts: [Int]) {
        let depth = 1 + (parts.max() ?? 0)
        let isTooDeep = depth > PredicateDepth.maximum
        let kept = isTooDeep ? .tooDeep : syntax
        storedSyntax = kept
        knownDepth = isTooDeep ? 1 : depth
        expressionType = kept.type
        permit = nil
        super.init()
    }

    final var depth: Int { knownDepth ?? storedSyntax?.depth ?? 1 }

    /// For the evaluated object and any key, which have no parts; and for subclasses with their own
    /// `expressionValue(with:context:)`.
    public init(expressionType type: ExpressionType) {
        expressionType = type
        knownDepth = 1
        switch type {
        case .evaluatedObject: storedSyntax = .evaluatedObject
        case .anyKey: storedSyntax = .anyKey
        default: storedSyntax = nil
        }
        permit = nil
        super.init()
    }

    /// nil if the archive contains no complete expression. After secure decoding, evaluation must first be allowed.
    public required init?(coder: NSCoder) {
        guard let syntax = PredicateArchive.nested(coder, { $0.syntax() }) else { return nil }
        storedSyntax = syntax
        knownDepth = nil
        expressionType = syntax.type
        permit = EvaluationPermit(coder)
        super.init()
    }

    /// Traps for closures, and for constants that cannot be archived.
    open func encode(with coder: NSCoder) {
        PredicateArchive.writing(coder) { $0.write(syntax) }
    }

    /// True: archives of expressions can be read with secure decoding.
    open class var supportsSecureCoding: Bool { true }

    /// The tree for printing, evaluation and translation.
    package var syntax: ExpressionSyntax {
        storedSyntax
            ?? .block(ExpressionBlock(owner: self) { [self] in expressionValue(with: $0, context: $2) }, arguments: [])
    }

    /// The value for one object.
    ///
    /// Traps with a message if the object has no such key, or if a value is unsuitable for a function.
    /// - Parameter context: the values of variables, by name without the dollar sign; blocks receive it, too.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        guard let storedSyntax else {
            preconditionFailure("\(Self.self) must override expressionValue(with:context:), or be made otherwise.")
        }
        permit?.check("The expression '\(self)'")
        do {
            return try ExpressionEvaluator.value(
                of: storedSyntax, object: object, variables: Self.variables(in: context), takesAnyText: true)
        } catch {
            preconditionFailure("The expression '\(self)' has no value for this object: \(error).")
        }
    }

    private static func variables(in context: NSMutableDictionary?) -> [String: Any] {
        var variables: [String: Any] = [:]
        for (key, value) in context ?? [:] {
            if let name = key as? String { variables[name] = value }
        }
        return variables
    }

    /// Allows the evaluation of an expression from secure decoding. Other expressions need no permission.
    open func allowEvaluation() { permit?.grant() }

    // MARK: NSObject

    /// The expression itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || syntax == other.syntax
    }

    // Ignores the values of constants, because equal numbers may differ in type.
    open override var hash: Int {
        var hasher = Hasher()
        // Arrays of constants equal lists.
        hasher.combine(syntax.type == .aggregate ? .constantValue : syntax.type)
        hasher.combine(syntax.keyPaths)
        return hasher.finalize()
    }

    open override var description: String { syntax.description }
}

extension ExpressionSyntax {
    /// The expression type of the class.
    package var type: NSExpression.ExpressionType {
        switch self {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath, .keyPathOn: .keyPath
        case .function(PredicateFunctions.fetch, _): .fetchRequest
        case .function, .index: .function
        case .aggregate: .aggregate
        case .subquery: .subquery
        case .setOperation(.union, _, _): .unionSet
        case .setOperation(.intersection, _, _): .intersectSet
        case .setOperation(.minus, _, _): .minusSet
        case .conditional: .conditional
        case .anyKey: .anyKey
        case .block: .block
        }
    }
}
