// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The initializers of expressions, one for each kind.

public import Foundation

extension NSExpression {
    /// A constant; nil and `NSNull` represent NULL.
    public convenience init(forConstantValue value: Any?) {
        self.init(.constant(Self.kept(value)))
    }

    private static func kept(_ value: Any?) -> Any? {
        // The usual case first: each unnecessary use of an `Any` copies it.
        if let value, FormatArguments.isPlain(type(of: value)) { return value }
        let value = FormatArguments.unwrapped(value)
        return (value as? SearchQuery)?.description ?? value
    }

    /// The object for which the predicate is evaluated.
    public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

    /// Any key, used by text searches.
    public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

    /// A variable with a value supplied later; the name is without the dollar sign.
    public convenience init(forVariable name: String) { self.init(.variable(name)) }

    /// The value at a key path of the evaluated object; the path may contain collection operators such as `@sum`.
    public convenience init(forKeyPath keyPath: String) {
        self.init(keyPath.utf8.count == 4 && keyPath.uppercased() == "SELF" ? .evaluatedObject : .keyPath(keyPath))
    }

    /// A function of the language, such as `sum:` or `add:to:`.
    ///
    /// - Parameter parameters: expressions; other values are constants.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        self.init(.calling(name, Self.syntax(of: parameters)), above: Self.depths(of: parameters))
    }

    /// A method call on the value of another expression.
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let arguments = [target.syntax, .constant(name)] + Self.syntax(of: parameters ?? [])
        self.init(
            .function(name: PredicateFunctions.call, arguments: arguments),
            above: [target.depth] + Self.depths(of: parameters ?? []))
    }

    /// A list of values.
    ///
    /// - Parameter subexpressions: expressions; other values are constants.
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(.aggregate(Self.syntax(of: subexpressions)), above: Self.depths(of: subexpressions))
    }

    /// The members of a collection that satisfy a predicate, which refers to the member by a variable.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        let condition = predicate.syntax
        self.init(
            .subquery(collection: expression.syntax, variable: variable, predicate: condition),
            above: [expression.depth, condition.depth])
    }

    /// The members of either collection, each once. Sides are collections of any class, or nil for none; evaluation
    /// throws for other values.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.union, left.syntax, right.syntax), above: [left.depth, right.depth])
    }

    /// The members that both collections have. Sides are collections of any class, or nil for none; evaluation throws
    /// for other values.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(
            .setOperation(.intersection, left.syntax, right.syntax), above: [left.depth, right.depth])
    }

    /// The members of the left collection that the right one lacks. Sides are collections of any class, or nil for
    /// none; evaluation throws for other values.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.minus, left.syntax, right.syntax), above: [left.depth, right.depth])
    }

    /// One of two values, selected by a predicate.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        let condition = predicate.syntax
        self.init(
            .conditional(condition, trueExpression.syntax, falseExpression.syntax),
            above: [condition.depth, trueExpression.depth, falseExpression.depth])
    }

    /// The result of a closure; no store can translate it.
    ///
    /// - Parameter block: receives the evaluated object, the arguments' values, and the context of the evaluation.
    public convenience init(
        block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any?, arguments: [NSExpression]?
    ) {
        let arguments = arguments ?? []
        self.init(
            .block(ExpressionBlock(block), arguments: arguments.map(\.syntax)),
            above: arguments.map(\.depth))
    }

    /// Parses an expression such as `price * (1 + %@)`. Traps for a malformed format, with a message and the position.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(format: format, arguments)
    }

    /// Parses an expression. Traps for a malformed format, with a message and the position.
    public convenience init(format: String, argumentArray arguments: [Any]) {
        self.init(format: format, arguments.map(Optional.some))
    }

    private convenience init(format: String, _ arguments: [Any?]) {
        do throws(PredicateFormatError) {
            self.init(try ExpressionSyntax.parsing(format, arguments: arguments))
        } catch {
            preconditionFailure("Write the expression's format otherwise. \(error)")
        }
    }

    private static func depths(of values: [Any]) -> [Int] {
        values.map { FormatArguments.object($0, as: NSExpression.self)?.depth ?? 1 }
    }

    private static func syntax(of values: [Any]) -> [ExpressionSyntax] {
        values.map {
            FormatArguments.object($0, as: NSExpression.self)?.syntax ?? .constant(FormatArguments.unwrapped($0))
        }
    }
}
