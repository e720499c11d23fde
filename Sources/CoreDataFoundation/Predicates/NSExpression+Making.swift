// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes expressions, one initializer for each kind.

public import Foundation

extension NSExpression {
    /// Always the same value; nil and `NSNull` stand for NULL.
    public convenience init(forConstantValue value: Any?) {
        self.init(.constant(Self.kept(value)))
    }

    private static func kept(_ value: Any?) -> Any? {
        // As most are; every look at an `Any` that is not needed is a copy of it.
        if let value, FormatArguments.isPlain(type(of: value)) { return value }
        return FormatArguments.unwrapped(value)
    }

    /// The object that the predicate is asked about.
    public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(.evaluatedObject) }

    /// Any key, as text searches use it.
    public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

    /// A value given later, by name; the name is without the dollar sign.
    public convenience init(forVariable name: String) { self.init(.variable(name)) }

    /// The value at a key path of the evaluated object; collection operators such as `@sum` may be in it.
    public convenience init(forKeyPath keyPath: String) {
        self.init(keyPath.utf8.count == 4 && keyPath.uppercased() == "SELF" ? .evaluatedObject : .keyPath(keyPath))
    }

    /// One of the functions of the language, such as `sum:` or `add:to:`.
    ///
    /// - Parameter parameters: expressions; other values count as constants.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        self.init(.calling(name, Self.syntax(of: parameters)), above: Self.depths(of: parameters))
    }

    /// A method call on what another expression gives.
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let arguments = [target.syntax, .constant(name)] + Self.syntax(of: parameters ?? [])
        self.init(
            .function(name: PredicateFunctions.call, arguments: arguments),
            above: [target.depth] + Self.depths(of: parameters ?? []))
    }

    /// A list of values.
    ///
    /// - Parameter subexpressions: expressions; other values count as constants.
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(.aggregate(Self.syntax(of: subexpressions)), above: Self.depths(of: subexpressions))
    }

    /// Those members of a collection that satisfy a predicate, which names the member as a variable.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        let condition = predicate.syntax
        self.init(
            .subquery(collection: expression.syntax, variable: variable, predicate: condition),
            above: [expression.depth, condition.depth])
    }

    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.union, left.syntax, right.syntax), above: [left.depth, right.depth])
    }

    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(
            .setOperation(.intersection, left.syntax, right.syntax), above: [left.depth, right.depth])
    }

    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.minus, left.syntax, right.syntax), above: [left.depth, right.depth])
    }

    /// One of two values, as a predicate decides.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        let condition = predicate.syntax
        self.init(
            .conditional(condition, trueExpression.syntax, falseExpression.syntax),
            above: [condition.depth, trueExpression.depth, falseExpression.depth])
    }

    /// The result of code; no store can translate it.
    ///
    /// - Parameter block: gets the evaluated object, the arguments' values, and the context of the evaluation.
    public convenience init(
        block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any?, arguments: [NSExpression]?
    ) {
        let arguments = arguments ?? []
        self.init(
            .block(ExpressionBlock(block), arguments: arguments.map(\.syntax)),
            above: arguments.map(\.depth))
    }

    /// Reads an expression such as `price * (1 + %@)`. Traps when the format is wrong, with a sentence and the place.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(format: format, arguments)
    }

    /// Reads an expression. Traps when the format is wrong, with a sentence and the place.
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
        values.map { ($0 as? NSExpression)?.depth ?? 1 }
    }

    private static func syntax(of values: [Any]) -> [ExpressionSyntax] {
        values.map { ($0 as? NSExpression)?.syntax ?? .constant(FormatArguments.unwrapped($0)) }
    }
}
