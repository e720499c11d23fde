// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles expressions to closures.

import Foundation

struct ExpressionCompiler {
    let variables: [String: Any]
    /// Whether a text that is no search query, or no pattern, matches nothing, for callers that cannot throw.
    var takesAnyText = false
    /// The variables of the enclosing subqueries, outermost first. A variable's index is its
    /// index in `EvaluationFrame.bindings`.
    var scope: [String] = []

    func compile(_ syntax: ExpressionSyntax) throws -> CompiledExpression {
        switch syntax {
        case .constant(let value): return .constant(presentValue(value))
        case .evaluatedObject: return .calculation { $0.object }
        case .variable(let name): return try variable(name)
        case .keyPath(let path): return .property(try ReadyKeyPath(path))
        case .keyPathOn(let operand, let path): return try keyPath(path, on: operand)
        case .function(let name, let arguments): return try function(name, arguments)
        case .aggregate(let elements):
            return combine(try elements.map(compile)) { values in values.map { $0 ?? NSNull() } }
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate)
        case .setOperation(let operation, let left, let right): return try set(operation, left, right)
        case .conditional(let predicate, let yes, let no): return try conditional(predicate, yes, no)
        case .index(let collection, let position): return try index(collection, position)
        case .anyKey: throw PredicateEvaluationError.unsupportedExpression("ANYKEY")
        case .block(let block, let arguments): return try self.block(block, arguments)
        }
    }

    /// The members of an expression for ANY, ALL and sums, with every collection on the path expanded.
    func compileMembers(_ syntax: ExpressionSyntax) throws -> (EvaluationFrame) throws -> [Any?] {
        switch syntax {
        case .keyPath(let path):
            let reader = try KeyPathReader(path)
            return { try reader.leaves(of: $0.object) }
        case .keyPathOn(let operand, let path):
            let reader = try KeyPathReader(path)
            let operand = try compile(operand)
            return { try reader.leaves(of: operand.value(in: $0)) }
        default:
            let expression = try compile(syntax)
            return { frame in
                guard let value = presentValue(try expression.value(in: frame)) else { return [] }
                return members(of: value)?.map(presentValue) ?? [value]
            }
        }
    }

    /// The members for a function of several values: of a key path those that have a value, as in SQL.
    private func compileValues(_ syntax: ExpressionSyntax) throws -> (EvaluationFrame) throws -> [Any?] {
        let members = try compileMembers(syntax)
        switch syntax {
        case .keyPath, .keyPathOn: return { try members($0).filter { $0 != nil } }
        default: return members
        }
    }

    // MARK: Kinds of expressions

    private func variable(_ name: String) throws -> CompiledExpression {
        if let slot = scope.lastIndex(of: name) { return .calculation { $0.bindings[slot] } }
        if let value = variables[name] { return .constant(presentValue(value)) }
        if name == "self" || name == "SELF" { return .calculation { $0.object } }
        throw PredicateEvaluationError.unboundVariable(name)
    }

    private func keyPath(_ path: String, on operand: ExpressionSyntax) throws -> CompiledExpression {
        let reader = try KeyPathReader(path)
        let operand = try compile(operand)
        return .calculation { try reader.value(of: operand.value(in: $0)) }
    }

    private func function(_ name: String, _ arguments: [ExpressionSyntax]) throws -> CompiledExpression {
        if let aggregate = AggregateFunction(rawValue: name) {
            let parts = try arguments.map(compileValues)
            return .calculation { frame in try aggregate.apply(to: parts.flatMap { try $0(frame) }) }
        }
        let parts = try arguments.map(compile)
        if name == PredicateFunctions.call { return try method(arguments, parts) }
        if name == PredicateFunctions.fetch { return try fetch(parts) }
        let function = try ExpressionFunction.named(name, argumentCount: arguments.count)
        if function.isPure, parts.allSatisfy(\.isConstant) {
            return .constant(try function.apply(parts.map { try $0.value(in: .empty) }))
        }
        return .calculation { frame in try function.apply(parts.map { try $0.value(in: frame) }) }
    }

    /// FUNCTION has the arguments object, method name, and method arguments.
    private func method(_ syntax: [ExpressionSyntax], _ parts: [CompiledExpression]) throws -> CompiledExpression {
        guard parts.count >= 2, case .constant(let name as String) = syntax[1] else {
            throw PredicateEvaluationError.unsupportedFunction("FUNCTION without the name of a method")
        }
        return .calculation { frame in
            let values = try parts.map { try $0.value(in: frame) }
            return try MethodCall.value(name, of: values[0], Array(values.dropFirst(2)))
        }
    }

    /// FETCH has the arguments request, context, and whether the result is a number.
    private func fetch(_ parts: [CompiledExpression]) throws -> CompiledExpression {
        guard parts.count == 3 else {
            throw PredicateEvaluationError.wrongArgumentCount(
                function: PredicateFunctions.fetch, expected: 3, found: parts.count)
        }
        return .calculation { frame in
            let values = try parts.map { presentValue(try $0.value(in: frame)) }
            guard let request = values[0], let context = values[1] as? any FetchAnswering else {
                throw PredicateEvaluationError.wrongArgument(
                    function: PredicateFunctions.fetch,
                    type: values.prefix(2).map { $0.map { "\(type(of: $0))" } ?? "nil" }.joined(separator: ", "))
            }
            return try context.answer(toFetch: request, countsOnly: values[2] as? Bool ?? false)
        }
    }

    private func subquery(
        _ collection: ExpressionSyntax, _ variable: String, _ predicate: PredicateSyntax
    ) throws -> CompiledExpression {
        let collection = try compile(collection)
        var inner = self
        inner.scope.append(variable)
        let test = try inner.compile(predicate)
        let slot = scope.count
        return .calculation { frame in
            guard let value = presentValue(try collection.value(in: frame)) else { return [Any]() }
            guard let members = value as? any ValueCollection else {
                throw PredicateEvaluationError.notACollection(
                    operation: "SUBQUERY", type: String(describing: type(of: value)))
            }
            var frame = frame
            while frame.bindings.count <= slot { frame.bindings.append(nil) }
            return members.collection(
                of: try members.members.filter { member in
                    frame.bindings[slot] = presentValue(member)
                    return try test.matches(in: frame)
                })
        }
    }

    private func set(
        _ operation: ExpressionSyntax.SetOperation, _ left: ExpressionSyntax, _ right: ExpressionSyntax
    ) throws -> CompiledExpression {
        combine([try compile(left), try compile(right)]) { values in
            let sides = try values.map { value in
                guard let value = presentValue(value) else { return [Any]() }
                guard let members = members(of: value) else {
                    throw PredicateEvaluationError.notACollection(
                        operation: "a set operation", type: String(describing: type(of: value)))
                }
                return members
            }
            let other = HashedValues(sides[1])
            return switch operation {
            case .union: unorderedCollection(of: Aggregation.distinct(sides[0] + sides[1]))
            case .intersection: unorderedCollection(of: sides[0].filter { other.contains($0) })
            case .minus: unorderedCollection(of: sides[0].filter { !other.contains($0) })
            }
        }
    }

    private func conditional(
        _ predicate: PredicateSyntax, _ yes: ExpressionSyntax, _ no: ExpressionSyntax
    ) throws -> CompiledExpression {
        let (yes, no) = (try compile(yes), try compile(no))
        switch try compile(predicate) {
        case .constant(let value): return value ? yes : no
        case .test(let test): return .calculation { try test.matches($0) ? yes.value(in: $0) : no.value(in: $0) }
        }
    }

    private func index(
        _ collection: ExpressionSyntax, _ position: ExpressionSyntax.IndexPosition
    ) throws -> CompiledExpression {
        let collection = try compile(collection)
        switch position {
        case .first: return combine([collection]) { try IndexedElement.pick(from: $0[0]) { $0.first } }
        case .last: return combine([collection]) { try IndexedElement.pick(from: $0[0]) { $0.last } }
        case .size: return combine([collection]) { try IndexedElement.pick(from: $0[0]) { $0.count } }
        case .at(let index):
            return combine([collection, try compile(index)]) { try IndexedElement.value(of: $0[0], at: $0[1]) }
        }
    }

    private func block(_ block: ExpressionBlock, _ arguments: [ExpressionSyntax]) throws -> CompiledExpression {
        let arguments = try arguments.map(compile)
        let bound = boundVariables
        return .calculation { frame in
            let values = try arguments.map { try $0.value(in: frame) ?? NSNull() }
            let context = NSMutableDictionary()
            for (name, value) in bound(frame) { context[name] = value }
            return presentValue(block.value(frame.object, values, context))
        }
    }

    /// All variables by name. Those of subqueries hide those of the caller.
    var boundVariables: (EvaluationFrame) -> [String: Any] {
        let (variables, scope) = (variables, scope)
        return { frame in
            zip(scope, frame.bindings).reduce(into: variables) { $0[$1.0] = $1.1 ?? NSNull() }
        }
    }

    /// Calculates immediately if all parts are constants.
    private func combine(
        _ parts: [CompiledExpression], _ calculate: @escaping ([Any?]) throws -> Any?
    ) -> CompiledExpression {
        let calculation: (EvaluationFrame) throws -> Any? = { frame in
            try calculate(parts.map { try $0.value(in: frame) })
        }
        // A failing constant fails during evaluation, because its branch may never be evaluated.
        if parts.allSatisfy(\.isConstant), let value = try? calculation(.empty) {
            return .constant(value)
        }
        return .calculation(calculation)
    }
}

/// The members of a collection or the values of a dictionary; nil for any other value.
package func members(of value: Any?) -> [Any]? {
    if let collection = value as? any ValueCollection { return collection.members }
    if let dictionary = value as? any ValueDictionary { return dictionary.entries.map(\.value) }
    return nil
}
