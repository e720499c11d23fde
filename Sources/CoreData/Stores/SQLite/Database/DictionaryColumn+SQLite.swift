// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the entries of dictionaries from a statement.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension DictionaryColumn {
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
