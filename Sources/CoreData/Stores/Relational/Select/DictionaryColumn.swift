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
        /// What an expression gives, as a value of this type; nil: as it comes.
        case computed(NSAttributeType?)
    }

    package var name: String
    /// Position of its first column in the statement.
    package var position: Int
    package var reading: Reading
    package var isAggregate = false
}

package struct DictionaryColumnBuilder {
    package let schema: Schema
    package let place: RowPlace
    package let expressions: ExpressionTranslator

    package func column(_ column: DictionaryRequest.Column, at position: Int) throws -> (DictionaryColumn, [SQLText]) {
        func made(_ reading: DictionaryColumn.Reading, _ terms: [SQLText], isAggregate: Bool = false) -> (
            DictionaryColumn, [SQLText]
        ) {
            (DictionaryColumn(name: column.name, position: position, reading: reading, isAggregate: isAggregate), terms)
        }
        switch column.value {
        case .objectID:
            return made(.object(layout: place.layout, hasEntity: true), [place.key, place.entity])
        case .property(let steps):
            switch try PathColumns(schema: schema).end(steps, from: place) {
            case .attribute(let sql, let coding): return made(.attribute(coding), [sql])
            case .composite(let leaves): return made(.composite(leaves.map(\.leaf)), leaves.map(\.column))
            case .object(let key, let entity, let layout):
                return made(.object(layout: layout, hasEntity: entity != nil), [key] + [entity].compactMap { $0 })
            }
        case .expression(let expression):
            if case .evaluatedObject = expression {
                return made(.object(layout: place.layout, hasEntity: true), [place.key, place.entity])
            }
            let operand = try expressions.operand(expression)
            let isAggregate = Self.isAggregate(expression)
            switch operand.kind {
            case .object(let layout):
                return made(.object(layout: layout, hasEntity: false), [operand.sql], isAggregate: isAggregate)
            case .value(let coding?) where column.resultType == nil || column.resultType == .undefinedAttributeType:
                return made(.attribute(coding), [operand.sql], isAggregate: isAggregate)
            // The column holds a mark and the name of a file, or a mark and the data.
            case .value(.externalBinary?):
                return made(.attribute(.externalBinary), [operand.sql], isAggregate: isAggregate)
            default: return made(.computed(column.resultType), [operand.sql], isAggregate: isAggregate)
            }
        }
    }

    package func groupTerms(_ steps: [PathStep]) throws -> [SQLText] {
        switch try PathColumns(schema: schema).end(steps, from: place) {
        case .attribute(let sql, _): [sql]
        case .composite(let leaves): leaves.map(\.column)
        case .object(let key, let entity, _): [key] + [entity].compactMap { $0 }
        }
    }

    private static func isAggregate(_ expression: ExpressionSyntax) -> Bool {
        guard case .function(let name, let arguments) = expression else { return false }
        return ["count:", "sum:", "average:", "min:", "max:"].contains(name) || arguments.contains(where: isAggregate)
    }
}
