// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One side of a comparison, as an object: what it is, and how equal ones are found.

public import Foundation

/// A value, or the way to get one from the object that a predicate is asked about.
///
/// Immutable, so it may be used by any thread if the constants in it may.
open class NSExpression: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What an expression is. Raw values are Darwin's.
    public enum ExpressionType: UInt, Sendable {
        case constantValue = 0
        case evaluatedObject = 1
        case variable = 2
        case keyPath = 3
        case function = 4
        case unionSet = 5
        case intersectSet = 6
        case minusSet = 7
        case subquery = 13
        case aggregate = 14
        case anyKey = 15
        case block = 19
        case conditional = 20
    }

    public let expressionType: ExpressionType
    private let storedSyntax: ExpressionSyntax?
    /// Nil where only a walk tells.
    private let knownDepth: Int?
    private let permit: EvaluationPermit?

    package init(_ syntax: ExpressionSyntax) {
        storedSyntax = syntax
        knownDepth = nil
        expressionType = syntax.type
        permit = nil
        super.init()
    }

    /// For what is made of other objects, whose depths are known: too deep a tree is not kept.
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

    /// For the evaluated object and any key, which need nothing more; and for subclasses, whose values come from their
    /// own `expressionValue(with:context:)`.
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

    /// Nil where the archive holds no whole expression. One that is read securely has to be allowed before it is
    /// evaluated.
    public required init?(coder: NSCoder) {
        guard let syntax = PredicateArchive.nested(coder, { $0.syntax() }) else { return nil }
        storedSyntax = syntax
        knownDepth = nil
        expressionType = syntax.type
        permit = EvaluationPermit(coder)
        super.init()
    }

    /// Traps for code, and for constants that cannot be archived.
    open func encode(with coder: NSCoder) {
        PredicateArchive.writing(coder) { $0.write(syntax) }
    }

    open class var supportsSecureCoding: Bool { true }

    /// The tree that is printed, evaluated and translated.
    package var syntax: ExpressionSyntax {
        storedSyntax
            ?? .block(ExpressionBlock(owner: self) { [self] in expressionValue(with: $0, context: $2) }, arguments: [])
    }

    /// The value for one object.
    ///
    /// Traps when the object has no such key, or a value does not suit a function, with a sentence that says which.
    /// - Parameter context: values of the variables, by name without the dollar sign; blocks get it too.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        guard let storedSyntax else {
            preconditionFailure("\(Self.self) must override expressionValue(with:context:), or be made otherwise.")
        }
        permit?.check("The expression '\(self)'")
        do {
            return try ExpressionEvaluator.value(
                of: storedSyntax, object: object, variables: Self.variables(in: context))
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

    /// Lets an expression that was read securely from an archive be evaluated. Others need no leave.
    open func allowEvaluation() { permit?.give() }

    // MARK: NSObject

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || syntax == other.syntax
    }

    // By type alone where constants are concerned: equal numbers may differ in type.
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
    /// What the class calls this.
    package var type: NSExpression.ExpressionType {
        switch self {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath, .keyPathOn: .keyPath
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
