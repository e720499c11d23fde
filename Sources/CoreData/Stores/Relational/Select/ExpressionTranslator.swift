// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Operands of comparisons as SQL: columns, constants, arithmetic, aggregates over members.

import CoreDataFoundation
import Foundation

/// Translates expressions seen from one row. Variables of subqueries stand for rows of their own.
package struct ExpressionTranslator {
    package let schema: Schema
    package let place: RowPlace
    package var variables: [String: RowPlace] = [:]
    /// Expressions that are columns of a grouped result, by name (`having`).
    package var aliases: [String: SQLText] = [:]
    /// Whether `sum:` and its kind may run over the rows of the statement itself (columns of dictionaries, `having`).
    package var allowsAggregates = false
    /// Whether the expression derives an attribute: every aggregate runs over all members of the first to-many.
    package var isDerivation = false

    private var paths: KeyPathTranslator { KeyPathTranslator(schema: schema) }
    private var dialect: any Dialect { schema.dialect }

    package func path(_ expression: ExpressionSyntax) throws -> PathEnd? {
        switch expression {
        case .evaluatedObject: return .object(key: place.key, layout: place.layout)
        case .variable(let name):
            return variables[name].map { .object(key: $0.key, layout: $0.layout) }
        case .keyPath(let path):
            if path.contains("@") || aliases[path] != nil { return nil }
            return try paths.resolve(KeyPathTranslator.components(path), from: place)
        case .keyPathOn(let base, let path):
            if path.contains("@") { return nil }
            guard let start = start(base) else { return nil }
            return try paths.resolve(KeyPathTranslator.components(path), from: start)
        default: return nil
        }
    }

    private func start(_ base: ExpressionSyntax) -> RowPlace? {
        switch base {
        case .evaluatedObject: place
        case .variable(let name): variables[name]
        default: nil
        }
    }

    package func operand(_ expression: ExpressionSyntax) throws -> SQLOperand {
        if let end = try path(expression) { return try operand(end) }
        switch expression {
        case .constant(let value): return try constant(value)
        case .variable(let name):
            if let alias = aliases[name] { return SQLOperand(sql: alias, kind: .value(nil)) }
            throw NotTranslatable(reason: "$\(name) has no value")
        case .keyPath(let path):
            if let alias = aliases[path] { return SQLOperand(sql: alias, kind: .value(nil)) }
            return try collectionPath(path, from: place)
        case .keyPathOn(.subquery(let collection, let variable, let predicate), let path):
            return try subquery(collection, variable, predicate, path)
        case .keyPathOn(let base, let path):
            guard let start = start(base) else { throw NotTranslatable(reason: "a key path on a computed value") }
            return try collectionPath(path, from: start)
        case .function(let name, let arguments): return try function(name, arguments)
        case .conditional(let condition, let yes, let no):
            let test = try predicate.condition(condition)
            let (first, second) = (try operand(yes), try operand(no))
            return SQLOperand(
                sql: "CASE WHEN \(test) THEN \(first.sql) ELSE \(second.sql) END", kind: first.kind,
                isString: first.isString && second.isString)
        default:
            throw NotTranslatable(reason: "an expression that only an object can answer")
        }
    }

    private var predicate: PredicateTranslator { PredicateTranslator(expressions: self) }

    private func operand(_ end: PathEnd) throws -> SQLOperand {
        switch end {
        case .attribute(let sql, let coding):
            var isString = false
            switch coding {
            case .string, .uri: isString = true
            default: break
            }
            return SQLOperand(sql: sql, kind: .value(coding), isString: isString)
        case .object(let key, let layout): return SQLOperand(sql: key, kind: .object(layout))
        case .entity(let sql): return SQLOperand(sql: sql, kind: .entity)
        case .composite: throw NotTranslatable(reason: "a whole composite")
        case .members: throw NotTranslatable(reason: "a to-many as a single value")
        }
    }

    // MARK: Constants

    package func constant(_ value: Any?) throws -> SQLOperand {
        if let object = value as? ObjectArgument {
            let layout = schema.model.layouts[object.rootIndex]
            guard object.isInStore else { return SQLOperand(sql: "NULL", kind: .object(layout), isConstant: true) }
            return SQLOperand(sql: .value(.integer(object.key.key)), kind: .object(layout), isConstant: true)
        }
        if let entity = value as? NSEntityDescription {
            let mapping = schema.model.layout(of: entity).flatMap { schema.mapping($0) }
            return SQLOperand(sql: dialect.entityArgument(mapping?.stored), kind: .entity, isConstant: true)
        }
        guard let argument = try Self.argument(value) else { return SQLOperand(sql: "NULL", kind: .null) }
        return SQLOperand(
            sql: .value(argument), kind: .value(nil), isConstant: true, isString: argument.textValue != nil)
    }

    /// nil for null.
    package static func argument(_ value: Any?) throws -> ColumnValue? { try argument(ComparableValue(value)) }

    package static func argument(_ value: ComparableValue) throws -> ColumnValue? {
        switch value {
        case .null: return nil
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return .double(Double(number))
        case .double(let number): return .double(number)
        case .decimal(let number): return .decimal(number)
        case .string(let text): return .text(text)
        case .date(let date): return .date(date)
        case .data(let data): return .bytes(data)
        case .uuid(let uuid): return .uuid(uuid)
        case .url(let url): return .text(url.absoluteString)
        case .object, .other: throw NotTranslatable(reason: "a constant of a class that no column holds")
        }
    }

    // MARK: Members

    /// `employees.@sum.salary`, `employees.@count`.
    private func collectionPath(_ path: String, from start: RowPlace) throws -> SQLOperand {
        let parts = KeyPathTranslator.components(path)
        guard let position = parts.firstIndex(where: { $0.hasPrefix("@") }) else {
            throw NotTranslatable(reason: "the key path '\(path)'")
        }
        let rest = Array(parts[(position + 1)...])
        return try aggregate(
            parts[position], over: Array(parts[..<position]), of: rest, from: start, isPath: !isDerivation)
    }

    /// - Parameters:
    ///   - collection: the path to the members.
    ///   - property: the property of each member that is aggregated.
    ///   - isPath: whether this is a key path of a request. Then the values behind a to-many are a set for an operator
    ///     that follows them, as in `reports.name.@count`: without nil, each once.
    private func aggregate(
        _ operation: String, over collection: [String], of property: [String], from start: RowPlace, isPath: Bool
    ) throws -> SQLOperand {
        guard case .members(let owner, let slot, let rest) = try paths.resolve(collection, from: start) else {
            throw NotTranslatable(reason: "\(operation) of a single value")
        }
        if isPath, !rest.isEmpty, operation == "@count" || !property.isEmpty {
            throw NotTranslatable(reason: "\(operation) of distinct values")
        }
        var operand = try aggregate(operation, owner, slot, rest + property)
        if owner.alias != start.alias {
            // A key path that meets nil on its way gives nil, not the count or the sum of nothing.
            operand.sql = "CASE WHEN \(owner.key) IS NOT NULL THEN \(operand.sql) END"
        }
        return operand
    }

    private func aggregate(_ operation: String, _ owner: RowPlace, _ slot: Int, _ property: [String]) throws
        -> SQLOperand
    {
        let members = try paths.members(of: slot, from: owner)
        if property.isEmpty {
            guard operation == "@count" else { throw NotTranslatable(reason: "\(operation) of objects") }
            return SQLOperand(sql: "(SELECT COUNT(*) \(members.source(where: nil)))", kind: .value(.integer))
        }
        guard case .attribute(let column, let coding) = try paths.resolve(property, from: members.place) else {
            throw NotTranslatable(reason: "\(operation) over members of members")
        }
        let source = members.source(where: nil)
        switch operation {
        case "@count": return SQLOperand(sql: "(SELECT COUNT(\(column)) \(source))", kind: .value(.integer))
        case "@sum": return SQLOperand(sql: "(SELECT \(try dialect.sum(column, coding)) \(source))", kind: .value(nil))
        // As key-value coding has it: a missing value counts as zero, and the mean of nothing is zero.
        case "@avg":
            return SQLOperand(
                sql: "(SELECT \(try dialect.mean(column, coding, overRows: true)) \(source))", kind: .value(nil))
        case Self.mean:
            return SQLOperand(
                sql: "(SELECT \(try dialect.mean(column, coding, overRows: false)) \(source))", kind: .value(nil))
        case "@min", "@max":
            let name = operation == "@min" ? "MIN" : "MAX"
            return SQLOperand(
                sql: "(SELECT \(try dialect.extreme(name, column, coding)) \(source))", kind: .value(coding))
        default: throw NotTranslatable(reason: "the operator \(operation)")
        }
    }

    private func subquery(
        _ collection: ExpressionSyntax, _ variable: String, _ condition: PredicateSyntax, _ path: String
    ) throws
        -> SQLOperand
    {
        guard path == "@count", case .members(let owner, let slot, let rest)? = try self.path(collection), rest.isEmpty
        else {
            throw NotTranslatable(reason: "a subquery other than one that is counted")
        }
        let members = try paths.members(of: slot, from: owner)
        var inner = self
        inner.variables[variable] = members.place
        let test = try PredicateTranslator(expressions: inner).condition(condition)
        return SQLOperand(sql: "(SELECT COUNT(*) \(members.source(where: test)))", kind: .value(.integer))
    }

    // MARK: Functions

    private static let arithmetic: Set = [
        "add:to:", "from:subtract:", "multiply:by:", "bitwiseAnd:with:", "bitwiseOr:with:", "leftshift:by:",
        "rightshift:by:", "divide:by:",
    ]
    /// The function `average:`, which ignores missing values, and is nil for no values.
    private static let mean = "average:"
    private static let aggregates = [
        "count:": "@count", "sum:": "@sum", "average:": "@avg", "min:": "@min", "max:": "@max",
    ]

    private func function(_ name: String, _ arguments: [ExpressionSyntax]) throws -> SQLOperand {
        if Self.arithmetic.contains(name), arguments.count == 2 {
            return try dialect.function(name, [number(arguments[0]), number(arguments[1])])
        }
        if let operation = Self.aggregates[name], arguments.count == 1,
            case .members(let owner, let slot, let rest)? = try path(arguments[0])
        {
            let isMean = operation == "@avg" && !isDerivation
            return try aggregate(isMean ? Self.mean : operation, owner, slot, rest)
        }
        if allowsAggregates, Self.aggregates[name] != nil, arguments.count == 1 {
            return try aggregateOfRows(name, arguments[0])
        }
        switch (name, arguments.count) {
        case ("abs:", 1): return try dialect.function(name, [number(arguments[0])])
        case ("uppercase:", 1), ("lowercase:", 1), ("canonical:", 1):
            return try dialect.function(name, [SQLArgument(operand: operand(arguments[0]), isInteger: false)])
        case ("now", 0), ("now:", 0):
            return SQLOperand(sql: .value(.date(Date())), kind: .value(.date), isConstant: true)
        default: throw NotTranslatable(reason: "the function '\(name)'")
        }
    }

    private func isInteger(_ expression: ExpressionSyntax) throws -> Bool {
        if case .constant(let value) = expression {
            if case .integer = ComparableValue(value) { return true }
            return false
        }
        if case .value(.integer?) = try operand(expression).kind { return true }
        return false
    }

    private func aggregateOfRows(_ name: String, _ argument: ExpressionSyntax) throws -> SQLOperand {
        let operand = try operand(argument)
        var coding: ColumnCoding?
        if case .value(let known) = operand.kind { coding = known }
        switch name {
        case "count:": return SQLOperand(sql: "COUNT(\(operand.sql))", kind: .value(.integer))
        case "sum:": return SQLOperand(sql: try dialect.sum(operand.sql, coding), kind: .value(nil))
        case "average:": return SQLOperand(sql: try dialect.average(operand.sql, coding), kind: .value(nil))
        default:
            let extreme = try dialect.extreme(name == "min:" ? "MIN" : "MAX", operand.sql, coding)
            return SQLOperand(sql: extreme, kind: .value(coding), isString: operand.isString)
        }
    }

    private func number(_ expression: ExpressionSyntax) throws -> SQLArgument {
        let operand = try operand(expression)
        if case .value(let coding) = operand.kind, !operand.isString {
            switch coding {
            case .transformable, .binary, .externalBinary, .uuid: break
            default: return SQLArgument(operand: operand, isInteger: try isInteger(expression))
            }
        }
        throw NotTranslatable(reason: "arithmetic on something that is no number")
    }
}
