// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates conditional expressions to CASE, and finds the kind of their values.

import CoreDataFoundation
import Foundation

/// Combines the two values of a conditional expression.
struct ConditionalTranslator {
    let schema: Schema
    let test: SQLText

    /// - Throws: `NotTranslatable` for values of two classes, and for values that columns store in a special form.
    func operand(_ first: SQLOperand, _ second: SQLOperand) throws -> SQLOperand {
        let sql = choice(first.sql, second.sql)
        switch (first.kind, second.kind) {
        case (.null, .null): return first
        case (.null, _): return try alone(second, sql)
        case (_, .null): return try alone(first, sql)
        case (.value, .value):
            let values = try kind(of: first).joined(with: kind(of: second))
            if values == .other { throw NotTranslatable(reason: "values of two types") }
            return SQLOperand(sql: sql, computed: values)
        case (.object(let one), .object(let other)):
            guard one.rootIndex == other.rootIndex else { throw NotTranslatable(reason: "objects of two kinds") }
            try check(first)
            try check(second)
            let layout = one === other ? one : schema.model.layouts[one.rootIndex]
            let entity = choice(self.entity(first, one), self.entity(second, other))
            return SQLOperand(sql: sql, kind: .object(layout), entity: entity)
        default: throw NotTranslatable(reason: "an object or a value")
        }
    }

    private func choice(_ first: SQLText, _ second: SQLText) -> SQLText {
        "CASE WHEN \(test) THEN \(first) ELSE \(second) END"
    }

    /// The operand if the other value is null.
    private func alone(_ operand: SQLOperand, _ sql: SQLText) throws -> SQLOperand {
        switch operand.kind {
        case .value: return SQLOperand(sql: sql, computed: try kind(of: operand))
        case .object(let layout):
            try check(operand)
            return SQLOperand(sql: sql, kind: .object(layout), entity: entity(operand, layout))
        case .null, .entity: throw NotTranslatable(reason: "an entity as a value")
        }
    }

    private func kind(of operand: SQLOperand) throws -> ValueKind {
        switch operand.kind {
        case .value(.transformable?), .value(.externalBinary?):
            throw NotTranslatable(reason: "a value that is no plain column")
        default: return operand.values
        }
    }

    /// A constant object of another store is not null.
    private func check(_ operand: SQLOperand) throws {
        if operand.isConstant, operand.sql.values.isEmpty {
            throw NotTranslatable(reason: "an object of another store")
        }
    }

    /// Without an entity column, all objects are of one entity.
    private func entity(_ operand: SQLOperand, _ layout: EntityLayout) -> SQLText {
        operand.entity ?? schema.dialect.entityArgument(schema.mapping(layout)?.stored)
    }
}
