// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates operands of comparisons to SQL: columns, constants, arithmetic, aggregates over members.

import CoreDataFoundation
import Foundation

/// Translates expressions relative to one row. A variable of a subquery refers to a different row.
package struct ExpressionTranslator {
    package let schema: Schema
    package let place: RowPlace
    package var variables: [String: RowPlace] = [:]
    /// Expressions that are columns of a grouped result, by name (`having`), with the types of their values in that
    /// result.
    package var aliases: [String: (operand: SQLOperand, type: NSAttributeType?)] = [:]
    /// Whether `sum:` and other aggregates may run over the rows of the statement (columns of dictionaries, `having`).
    package var allowsAggregates = false
    /// Whether the expression derives an attribute: every aggregate runs over all members of the first to-many.
    package var isDerivation = false

    private var paths: KeyPathTranslator { KeyPathTranslator(schema: schema) }
    private var dialect: any Dialect { schema.dialect }

    package func path(_ expression: ExpressionSyntax) throws -> PathEnd? {
        switch expression {
        case .evaluatedObject: return .object(key: place.key, entity: place.entity, layout: place.layout)
        case .variable(let name):
            return variables[name].map { .object(key: $0.key, entity: $0.entity, layout: $0.layout) }
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
            if let alias = aliases[name] { return try alias.operand.converted(to: alias.type) }
            throw NotTranslatable(reason: "$\(name) has no value")
        case .keyPath(let path):
            if let alias = aliases[path] { return try alias.operand.converted(to: alias.type) }
            return try collectionPath(path, from: place)
        case .keyPathOn(.subquery(let collection, let variable, let predicate), let path):
            return try subquery(collection, variable, predicate, path)
        case .keyPathOn(let base, let path):
            guard let start = start(base) else { throw NotTranslatable(reason: "a key path on a computed value") }
            return try collectionPath(path, from: start)
        case .function(let name, let arguments): return try function(name, arguments)
        case .conditional(let condition, let yes, let no):
            let test = try PredicateTranslator(expressions: self).condition(condition)
            return try ConditionalTranslator(schema: schema, test: test).operand(try operand(yes), try operand(no))
        default:
            throw NotTranslatable(reason: "an expression that only an object can answer")
        }
    }

    private func operand(_ end: PathEnd) throws -> SQLOperand {
        switch end {
        case .attribute(let sql, let coding): return SQLOperand(sql: sql, kind: .value(coding))
        case .object(let key, let entity, let layout):
            return SQLOperand(sql: key, kind: .object(layout), entity: entity)
        case .entity(let sql): return SQLOperand(sql: sql, kind: .entity)
        case .composite: throw NotTranslatable(reason: "a whole composite")
        case .members: throw NotTranslatable(reason: "a to-many as a single value")
        }
    }

    // MARK: Constants

    package func constant(_ value: Any?) throws -> SQLOperand {
        if let object = value.flatMap({ FormatArguments.object($0, as: ObjectArgument.self) }) {
            let layout = schema.model.layouts[object.rootIndex]
            guard object.isInStore else { return SQLOperand(sql: "NULL", kind: .object(layout), isConstant: true) }
            let entity = dialect.entityArgument(schema.mapping(schema.model.layouts[object.key.entityIndex])?.stored)
            return SQLOperand(
                sql: .value(.integer(object.key.key)), kind: .object(layout), isConstant: true, entity: entity)
        }
        if let entity = value as? NSEntityDescription {
            let mapping = schema.model.layout(of: entity).flatMap { schema.mapping($0) }
            return SQLOperand(sql: dialect.entityArgument(mapping?.stored), kind: .entity, isConstant: true)
        }
        let comparable = ComparableValue(value)
        guard let argument = try Self.argument(comparable) else { return SQLOperand(sql: "NULL", kind: .null) }
        return SQLOperand(sql: .value(argument), computed: ValueKind(comparable), isConstant: true)
    }

    /// nil for null.
    package static func argument(_ value: ComparableValue) throws -> ColumnValue? {
        switch value {
        case .null: return nil
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return .double(Double(number))
        case .double(let number): return .double(number)
        // Databases that store decimals as real numbers compare an integer exactly.
        case .decimal(let number): return wholeNumber(number).map { .integer($0) } ?? .decimal(number)
        case .string(let text): return .text(text)
        case .date(let date): return .date(date)
        case .data(let data): return .bytes(data)
        case .uuid(let uuid): return .uuid(uuid)
        case .url(let url): return .text(url.absoluteString)
        case .object, .other: throw NotTranslatable(reason: "a constant of a class that no column holds")
        }
    }

    private static func wholeNumber(_ number: Decimal) -> Int64? {
        guard number >= Decimal(Int64.min), number <= Decimal(Int64.max) else { return nil }
        let integer = NSDecimalNumber(decimal: number).int64Value
        return Decimal(integer) == number ? integer : nil
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
    ///   - isPath: whether this is a key path of a request. Then the values after a to-many relationship are a set for
    ///     an operator that follows, as in `reports.name.@count`: without nil and without duplicates.
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
            // A key path through nil gives nil, not the count or the sum of no values.
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
        if operation == "@count" {
            return SQLOperand(sql: "(SELECT COUNT(\(column)) \(source))", kind: .value(.integer))
        }
        var result = try aggregate(operation, SQLOperand(sql: column, kind: .value(coding)))
        result.sql = "(SELECT \(result.sql) \(source))"
        return result
    }

    /// A sum, a mean or an extreme of an operand's values in several rows.
    private func aggregate(_ operation: String, _ operand: SQLOperand) throws -> SQLOperand {
        switch operation {
        case "@sum": return SQLOperand(sql: try dialect.sum(operand), computed: Self.kindOfSum(operand.values))
        // As in key-value coding: a missing value counts as zero, and the mean of no values is zero.
        case "@avg":
            let values: ValueKind = operand.values == .decimal || operand.values == .number ? .number : .real
            return SQLOperand(sql: try dialect.mean(operand, overRows: true), computed: values)
        case Self.mean:
            let values: ValueKind =
                operand.values == .decimal || operand.values == .number ? operand.values : .real
            return SQLOperand(sql: try dialect.mean(operand, overRows: false), computed: values)
        case "@min", "@max":
            var result = operand
            result.sql = try dialect.extreme(operation == "@min" ? "MIN" : "MAX", operand)
            result.isConstant = false
            return result
        default: throw NotTranslatable(reason: "the operator \(operation)")
        }
    }

    /// The sum of no values is the integer 0.
    private static func kindOfSum(_ values: ValueKind) -> ValueKind { values.joined(with: .whole) }

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

    private static let bits: Set = ["bitwiseAnd:with:", "bitwiseOr:with:", "leftshift:by:", "rightshift:by:"]
    private static let arithmetic = bits.union(["add:to:", "from:subtract:", "multiply:by:", "divide:by:"])
    /// The function `average:`, which ignores missing values and is nil if all are missing.
    private static let mean = "average:"
    private static let aggregates = [
        "count:": "@count", "sum:": "@sum", "average:": "@avg", "min:": "@min", "max:": "@max",
    ]

    private func function(_ name: String, _ arguments: [ExpressionSyntax]) throws -> SQLOperand {
        if Self.arithmetic.contains(name), arguments.count == 2 {
            return try computed(name, [number(arguments[0]), number(arguments[1])])
        }
        if let operation = Self.aggregates[name], arguments.count == 1,
            case .members(let owner, let slot, let rest)? = try path(arguments[0])
        {
            let isMean = operation == "@avg" && !isDerivation
            return try aggregate(isMean ? Self.mean : operation, owner, slot, rest)
        }
        if allowsAggregates, let operation = Self.aggregates[name], arguments.count == 1 {
            return try aggregateOfRows(operation, arguments[0])
        }
        switch (name, arguments.count) {
        case ("abs:", 1): return try computed(name, [number(arguments[0])])
        case ("uppercase:", 1), ("lowercase:", 1), ("canonical:", 1):
            let text = try operand(arguments[0])
            guard text.values == .text else {
                throw NotTranslatable(reason: "the letters of a value that is no string")
            }
            return SQLOperand(sql: try dialect.function(name, [text], .text), computed: .text)
        case ("now", 0), ("now:", 0):
            return SQLOperand(sql: .value(.date(Date())), kind: .value(.date), isConstant: true)
        default: throw NotTranslatable(reason: "the function '\(name)'")
        }
    }

    private func computed(_ name: String, _ operands: [SQLOperand]) throws -> SQLOperand {
        guard let values = ValueKind.result(of: name, operands.map(\.values)) else {
            throw NotTranslatable(reason: "'\(name)' of values whose kind each row decides")
        }
        let sql = try dialect.function(name, operands, values)
        // Bit operations never exceed 64-bit integers; sums and products may.
        if Self.bits.contains(name) { return SQLOperand(sql: sql, kind: .value(.integer)) }
        return SQLOperand(sql: sql, computed: values)
    }

    private func aggregateOfRows(_ operation: String, _ argument: ExpressionSyntax) throws -> SQLOperand {
        let operand = try operand(argument)
        if operation == "@count" { return SQLOperand(sql: "COUNT(\(operand.sql))", kind: .value(.integer)) }
        guard case .value = operand.kind else { throw NotTranslatable(reason: "\(operation) of objects") }
        if operation == "@avg" {
            let values: ValueKind =
                operand.values == .decimal || operand.values == .number ? operand.values : .real
            return SQLOperand(sql: try dialect.average(operand), computed: values)
        }
        return try aggregate(operation, operand)
    }

    /// A number or a date.
    private func number(_ expression: ExpressionSyntax) throws -> SQLOperand {
        let operand = try operand(expression)
        if case .value = operand.kind, operand.values.isNumber || operand.values == .date { return operand }
        throw NotTranslatable(reason: "arithmetic on something that is no number")
    }
}
