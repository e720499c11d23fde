// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes one UPDATE of a batch update, as far as SQL can express it.

import CoreDataFoundation
import Foundation

/// The statement of a batch update. No I/O.
///
/// Throws `NotTranslatable` for requests that the store does row by row: conditions that SQL cannot express, values in
/// external files, to-one relationships whose inverse must be written as well, and expressions that read rows which the
/// statement changes.
struct UpdateStatement {
    /// The columns of constants. Their values are bound first, in this order (`RowBinder`).
    let constants: RowPlan
    /// The statement without its list of returned columns.
    let text: String
    /// The values that follow the constants.
    let values: [ColumnValue]
    /// Finds a row in which a mandatory attribute would become nil; with the slot of the attribute.
    let checks: [(sql: SQLText, slot: Int)]

    init(schema: Schema, update: BatchUpdate, excludesForeignRows: Bool) throws {
        let layout = update.fetch.layout
        let mapping = try schema.held(layout.index)
        var fetch = update.fetch
        fetch.result = .keys
        let builder = try SelectBuilder(schema: schema, fetch: fetch, excludesForeignRows: excludesForeignRows)
        guard builder.isComplete else { throw NotTranslatable(reason: "a condition that rows have to be asked for") }
        for slot in update.changed { try Self.checkStorage(slot, mapping, schema) }
        constants = RowPlan(
            schema: schema, layouts: [layout], includesDerived: false, slots: update.constantSlots)
        let target = builder.target
        var sets = SQLText(raw: constants.columns.map { "\($0) = ?, " }.joined())
        var checks: [(sql: SQLText, slot: Int)] = []
        for expression in update.expressions {
            let (column, value) = try Self.assignment(expression, mapping, schema)
            sets += SQLText(raw: "\(column) = ") + value + SQLText(raw: ", ")
            if !layout.properties[expression.slot].isOptional, !Self.isNeverNull(expression.syntax, layout) {
                let condition = target.condition.map { SQLText(raw: "(") + $0 + SQLText(raw: ") AND ") } ?? ""
                var sql = SQLText(raw: "SELECT 1 FROM \(target.table) WHERE ")
                sql += condition
                sql += SQLText(raw: "(\(value.text)) IS NULL LIMIT 1", value.values)
                checks.append((sql, expression.slot))
            }
        }
        var statement =
            SQLText(raw: "UPDATE \(target.table) SET ") + sets + SQLText(raw: VersionColumn.increment)
        if let condition = target.condition { statement += SQLText(raw: " WHERE ") + condition }
        text = statement.text
        values = statement.values
        self.checks = checks
    }

    private static func checkStorage(_ slot: Int, _ mapping: EntityMapping, _ schema: Schema) throws {
        let place = mapping.layout[slot]
        switch mapping.storage[slot] {
        case .attribute(let column):
            if case .externalBinary = column.coding { throw NotTranslatable(reason: "data that may lie in files") }
        case .toOne:
            guard place.inverse >= 0 else { return }
            let inverse = schema.model.layouts[Int(place.destination)][Int(place.inverse)]
            if inverse.kind == .reference || inverse.isOrdered {
                throw NotTranslatable(reason: "a relationship whose other end is written as well")
            }
        case .composite(let leaves):
            for leaf in leaves {
                if case .externalBinary = leaf.column.coding {
                    throw NotTranslatable(reason: "data that may lie in files")
                }
            }
        case .none, .toMany: throw NotTranslatable(reason: "a property without a column")
        }
    }

    // MARK: Expressions

    private static func assignment(_ expression: BatchUpdate.Expression, _ mapping: EntityMapping, _ schema: Schema)
        throws -> (column: String, value: SQLText)
    {
        guard case .attribute(let column) = mapping.storage[expression.slot] else {
            throw NotTranslatable(reason: "an expression for a relationship or a composite")
        }
        let value = try value(expression.syntax, column.coding, mapping, schema)
        return (schema.dialect.quoted(column.name), value)
    }

    private static func value(
        _ syntax: ExpressionSyntax, _ coding: ColumnCoding, _ mapping: EntityMapping, _ schema: Schema
    ) throws -> SQLText {
        let numbers = AliasNumbers()
        let level = QueryLevel(schema: schema, numbers: numbers)
        let operand = try ExpressionTranslator(schema: schema, place: level.place(mapping.layout)).operand(syntax)
        var sql = try converted(operand, coding)
        if !level.joinText.isEmpty {
            // Translate once more, because the alias of the updated table comes first.
            let inner = AliasNumbers()
            let outer = inner.next()
            let level = QueryLevel(schema: schema, numbers: inner)
            let place = level.place(mapping.layout)
            let operand = try ExpressionTranslator(schema: schema, place: place).operand(syntax)
            let tail =
                " FROM \(mapping.table.sql) AS \(place.alias)\(level.joinText) WHERE \(place.alias).Z_PK = \(outer).Z_PK)"
            let joined = level.joins.joined()
            if joined.contains(mapping.table.sql) { throw readsItself }
            return SQLText(raw: "(SELECT ") + (try converted(operand, coding)) + SQLText(raw: tail)
        }
        if sql.text.contains("SELECT"), sql.text.contains(mapping.table.sql) { throw readsItself }
        sql.text = "(\(sql.text))"
        return sql
    }

    /// SQLite computes the values row by row, so such an expression would see rows that have already changed.
    private static var readsItself: NotTranslatable {
        NotTranslatable(reason: "an expression over rows that the request changes")
    }

    /// The operand converted to the type of the column, as a setter converts it.
    private static func converted(_ operand: SQLOperand, _ coding: ColumnCoding) throws -> SQLText {
        if case .null = operand.kind { return operand.sql }
        guard case .value(let own) = operand.kind else { throw NotTranslatable(reason: "an object as a value") }
        switch (coding, own) {
        case (.integer, .integer?), (.boolean, .boolean?), (.float, .float?), (.uri, .uri?), (.uuid, .uuid?),
            (.binary, .binary?):
            return operand.sql
        default: break
        }
        switch coding {
        // Cuts off fractions. Not CAST, which turns a sum beyond 64 bits into the greatest integer.
        case .integer where operand.values.isNumber: return "\(raw: DecimalFunctions.integer)(\(operand.sql))"
        case .double where operand.values.isNumber, .decimal where operand.values.isNumber:
            return "CAST(\(operand.asReal) AS REAL)"
        case .date where operand.values == .date, .string where operand.values == .text: return operand.sql
        default: throw NotTranslatable(reason: "a value of another type than the attribute's")
        }
    }

    /// Whether an expression has a value for every row: sums and products of mandatory integers and constants. Real
    /// numbers may give NaN, which is null.
    private static func isNeverNull(_ syntax: ExpressionSyntax, _ layout: EntityLayout) -> Bool {
        switch syntax {
        case .constant(let value): return Snapshot.unwrapped(value) != nil
        case .keyPath(let path): return layout.slot(path).map { !layout.properties[$0].isOptional } ?? false
        case .function(let name, let arguments):
            guard arguments.allSatisfy({ isNeverNull($0, layout) }) else { return false }
            switch name {
            case "uppercase:", "lowercase:", "now", "now:": return true
            case "add:to:", "from:subtract:", "multiply:by:": return arguments.allSatisfy { isWhole($0, layout) }
            default: return false
            }
        default: return false
        }
    }

    private static func isWhole(_ syntax: ExpressionSyntax, _ layout: EntityLayout) -> Bool {
        switch syntax {
        case .constant(let value): return ValueKind(ComparableValue(value)) == .whole
        case .keyPath(let path):
            return layout.slot(path).map { [.integer, .boolean].contains(layout[$0].kind) } ?? false
        case .function(_, let arguments): return arguments.allSatisfy { isWhole($0, layout) }
        default: return false
        }
    }
}
