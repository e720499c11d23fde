// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The columns of fetches that return dictionaries: their SQL, and the meaning of their values.

import CoreDataFoundation
import Foundation

/// One entry of a dictionary.
package struct DictionaryColumn {
    package enum Reading {
        case attribute(ColumnCoding)
        case composite([CompositeLeaf])
        /// An object, returned as its key; the entity's number, if stored, is in the next column.
        case object(layout: EntityLayout, hasEntity: Bool)
        /// The part of the date that represents a group.
        case datePart(DatePartReader)
        /// A computed value of this kind.
        case computed(ValueKind)
    }

    package var name: String
    /// Position of its first column in the statement.
    package var position: Int
    package var reading: Reading
    /// The type to which an expression's value is converted; nil for no conversion.
    package var resultType: NSAttributeType?

    /// The value as the dictionary gives it; nil for null: the entry is left out then.
    package func value<Source: ColumnSource>(_ source: Source, schema: Schema, folder: URL?) throws(UnreadableFile)
        -> Any?
    {
        let value = try stored(source, schema, folder)
        return resultType.map { ResultCoercion.value(value, $0) } ?? value
    }

    private func stored<Source: ColumnSource>(_ source: Source, _ schema: Schema, _ folder: URL?)
        throws(UnreadableFile) -> Any?
    {
        switch reading {
        case .attribute(let coding):
            let value = source.value(coding, at: position, in: folder)
            guard case .externalBinary = coding, let file = value as? ExternalData else { return value }
            return try file.read()
        case .composite(let leaves): return try source.composite(leaves, at: position, in: folder)?.read()
        case .object(let layout, let hasEntity):
            let key = source.key(at: position)
            if key <= 0 { return nil }
            return ObjectKey((hasEntity ? source.entity(at: position + 1, schema) : nil) ?? layout.index, key)
        case .datePart(let reader):
            return (source.value(.date, at: position, in: folder) as? Date).map(reader.value)
        case .computed(let kind): return source.computed(at: position, kind)
        }
    }
}

package struct DictionaryColumnBuilder {
    package let schema: Schema
    package let place: RowPlace
    package let expressions: ExpressionTranslator

    /// The column with its terms, and with the operand to which a condition on groups refers by name; nil for a
    /// composite.
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
        case .datePart(let steps, let part):
            // All dates of a group have the same part.
            let column = DictionaryColumn(
                name: column.name, position: position, reading: .datePart(DatePartReader(part)))
            return (column, ["MIN(\(try date(steps)))"], nil)
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

    /// - Throws: `NotTranslatable` for a part that the database cannot compute.
    func groupTerms(_ group: DictionaryRequest.Group) throws -> [SQLText] {
        if let part = group.part { return [try schema.dialect.partition(try date(group.path), by: part)] }
        return try groupTerms(group.path)
    }

    private func date(_ steps: [PathStep]) throws -> SQLText {
        guard case .attribute(let sql, .date) = try PathColumns(schema: schema).end(steps, from: place) else {
            throw NotTranslatable(reason: "parts of a value that is no date")
        }
        return sql
    }

    /// A term of ORDER BY for a column of groups.
    ///
    /// - Throws: `NotTranslatable` for values that the database does not sort as memory does.
    func order(_ column: DictionaryRequest.Column, isAscending: Bool) throws -> SQLText {
        if case .datePart(let steps, let part) = column.value {
            // Periods are in the order of their dates.
            let date = try date(steps)
            let number = part.isPeriod ? date : try schema.dialect.partition(date, by: part)
            return try schema.dialect.order("MIN(\(number))", .double, .standard, isAscending: isAscending)
        }
        guard let operand = try self.column(column, at: 0).2, case .value = operand.kind, column.resultType == nil
        else {
            throw NotTranslatable(reason: "the order of such values")
        }
        switch operand.coding {
        case .transformable?, .binary?, .externalBinary?: throw NotTranslatable(reason: "the order of such values")
        case nil where !operand.values.isNumber: throw NotTranslatable(reason: "the order of such values")
        case let coding:
            let term = try schema.dialect.comparable(operand, operand).left.sql
            return try schema.dialect.order(term, coding ?? .double, .standard, isAscending: isAscending)
        }
    }

    private func groupTerms(_ steps: [PathStep]) throws -> [SQLText] {
        switch try PathColumns(schema: schema).end(steps, from: place) {
        case .attribute(let sql, _): [sql]
        case .composite(let leaves): leaves.map(\.column)
        case .object(let key, let entity, _): [key] + [entity].compactMap { $0 }
        }
    }
}

extension SQLOperand {
    /// The operand as a column of the given type returns it.
    ///
    /// - Throws: `NotTranslatable` if the type changes the values.
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
