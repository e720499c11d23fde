// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns of fetches that give dictionaries: how each is asked for, and read.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// One entry of the dictionaries.
struct DictionaryColumn {
    enum Reading {
        case attribute(ColumnCoding)
        case composite([CompositeLeaf])
        /// An object, given as its key; the entity's number is in the next column where there is one.
        case object(layout: EntityLayout, hasEntity: Bool)
        /// What an expression gives, as a value of this type; nil: as it comes.
        case computed(NSAttributeType?)
    }

    var name: String
    /// Position of its first column in the statement.
    var position: Int
    var reading: Reading
    var isAggregate = false

    /// nil for null: the entry is left out then.
    func value(_ statement: Statement, schema: Schema, folder: URL?) throws(UnreadableFile) -> Any? {
        switch reading {
        case .attribute(let coding):
            let value = ColumnValues.value(coding, statement, position, folder)
            guard case .externalBinary = coding, let file = value as? ExternalData else { return value }
            return try file.read()
        case .composite(let leaves): return try ColumnValues.composite(leaves, statement, position, folder)?.read()
        case .object(let layout, let hasEntity):
            guard let key = statement.int64IfPresent(at: position), key > 0 else { return nil }
            let entity = hasEntity ? schema.layout(number: statement.int64(at: position + 1)) : nil
            return ObjectKey((entity ?? layout).index, key)
        case .computed(let type): return computed(statement, type)
        }
    }

    private func computed(_ statement: Statement, _ type: NSAttributeType?) -> Any? {
        if statement.isNull(at: position) { return nil }
        switch type {
        case .integer16AttributeType?, .integer32AttributeType?, .integer64AttributeType?:
            return NSNumber(value: statement.int64(at: position))
        case .floatAttributeType?: return NSNumber(value: Float(statement.double(at: position)))
        case .doubleAttributeType?: return NSNumber(value: statement.double(at: position))
        case .decimalAttributeType?: return ColumnValues.decimal(statement, position)
        case .booleanAttributeType?: return NSNumber(value: statement.int64(at: position) != 0)
        case .dateAttributeType?: return Date(timeIntervalSinceReferenceDate: statement.double(at: position))
        case .stringAttributeType?: return statement.string(at: position)
        case .UUIDAttributeType?: return ColumnValues.uuid(statement, position)
        case .URIAttributeType?: return ColumnValues.uri(statement, position)
        default:
            switch statement.columnType(at: position) {
            case .null: return nil
            case .integer: return NSNumber(value: statement.int64(at: position))
            case .real: return NSNumber(value: statement.double(at: position))
            case .text: return statement.string(at: position)
            case .blob: return statement.data(at: position)
            }
        }
    }
}

struct DictionaryColumnBuilder {
    let schema: Schema
    let place: RowPlace
    let expressions: ExpressionTranslator

    func column(_ column: DictionaryRequest.Column, at position: Int) throws -> (DictionaryColumn, [SQLText]) {
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

    func groupTerms(_ steps: [PathStep]) throws -> [SQLText] {
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
