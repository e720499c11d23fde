// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns of fetches that give dictionaries: how each is asked for, and what it means.

import CoreDataFoundation
import Foundation

/// One entry of the dictionaries.
package struct DictionaryColumn {
    package enum Reading {
        case attribute(ColumnCoding)
        case composite([CompositeLeaf])
        /// An object, given as its key; the entity's number is in the next column where there is one.
        case object(layout: EntityLayout, hasEntity: Bool)
        /// A computed value of this kind.
        case computed(ValueKind)
    }

    package var name: String
    /// Position of its first column in the statement.
    package var position: Int
    package var reading: Reading
    /// The type that an expression's value is given as; nil: as it comes.
    package var resultType: NSAttributeType?

    /// The value as the dictionary gives it.
    package func result(_ value: Any?) -> Any? { resultType.map { ResultCoercion.value(value, $0) } ?? value }
}

package struct DictionaryColumnBuilder {
    package let schema: Schema
    package let place: RowPlace
    package let expressions: ExpressionTranslator

    /// The column with its terms, and with the operand that a condition on groups finds by its name; nil where it is
    /// a composite.
    package func column(_ column: DictionaryRequest.Column, at position: Int) throws -> (
        DictionaryColumn, [SQLText], SQLOperand?
    ) {
        func made(_ operand: SQLOperand) throws -> (DictionaryColumn, [SQLText], SQLOperand?) {
            let terms = [operand.sql] + [operand.entity].compactMap { $0 }
            let column = DictionaryColumn(
                name: column.name, position: position, reading: try reading(operand), resultType: column.resultType)
            return (column, terms, operand)
        }
        switch column.value {
        case .objectID: return try made(itself)
        case .property(let steps):
            switch try PathColumns(schema: schema).end(steps, from: place) {
            case .attribute(let sql, let coding): return try made(SQLOperand(sql: sql, kind: .value(coding)))
            case .composite(let leaves):
                let column = DictionaryColumn(
                    name: column.name, position: position, reading: .composite(leaves.map(\.leaf)),
                    resultType: column.resultType)
                return (column, leaves.map(\.column), nil)
            case .object(let key, let entity, let layout):
                return try made(SQLOperand(sql: key, kind: .object(layout), entity: entity))
            }
        case .expression(.evaluatedObject): return try made(itself)
        case .expression(let expression): return try made(try expressions.operand(expression))
        }
    }

    private var itself: SQLOperand { SQLOperand(sql: place.key, kind: .object(place.layout), entity: place.entity) }

    private func reading(_ operand: SQLOperand) throws -> DictionaryColumn.Reading {
        switch operand.kind {
        case .object(let layout): .object(layout: layout, hasEntity: operand.entity != nil)
        case .value(let coding?): .attribute(coding)
        case .value(.none), .null: .computed(operand.values)
        case .entity: throw NotTranslatable(reason: "an entity as a value")
        }
    }

    package func groupTerms(_ steps: [PathStep]) throws -> [SQLText] {
        switch try PathColumns(schema: schema).end(steps, from: place) {
        case .attribute(let sql, _): [sql]
        case .composite(let leaves): leaves.map(\.column)
        case .object(let key, let entity, _): [key] + [entity].compactMap { $0 }
        }
    }
}

extension SQLOperand {
    /// The operand as a column gives it whose values have a type.
    ///
    /// - Throws: `NotTranslatable` where the type changes the values.
    func converted(to type: NSAttributeType?) throws -> SQLOperand {
        var result = self
        switch (type, values) {
        case (nil, _), (.integer16AttributeType?, .whole), (.integer32AttributeType?, .whole),
            (.integer64AttributeType?, .whole), (.dateAttributeType?, .date), (.doubleAttributeType?, .real),
            (.decimalAttributeType?, .decimal), (.stringAttributeType?, _), (.UUIDAttributeType?, _),
            (.URIAttributeType?, _), (.binaryDataAttributeType?, _), (.objectIDAttributeType?, _):
            return result
        case (.doubleAttributeType?, .whole), (.doubleAttributeType?, .wholeOrReal):
            result.kind = .value(nil)
            result.values = .real
            return result
        case (.booleanAttributeType?, _):
            if case .value(.boolean?) = kind { return result }
        case (.floatAttributeType?, _):
            if case .value(.float?) = kind { return result }
        default: break
        }
        throw NotTranslatable(reason: "a condition on a value of another type than its expression's")
    }
}
