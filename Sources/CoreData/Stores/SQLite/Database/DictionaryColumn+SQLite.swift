// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the entries of dictionaries from a statement.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension DictionaryColumn {
    /// nil for null; the dictionary then has no entry.
    func value(_ statement: Statement, schema: Schema, folder: URL?) throws(UnreadableFile) -> Any? {
        result(try stored(statement, schema, folder))
    }

    private func stored(_ statement: Statement, _ schema: Schema, _ folder: URL?) throws(UnreadableFile) -> Any? {
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
        case .computed(let kind): return computed(statement, kind)
        }
    }

    private func computed(_ statement: Statement, _ kind: ValueKind) -> Any? {
        if statement.isNull(at: position) { return nil }
        switch kind {
        // Beyond the range of decimals, arithmetic gives real numbers.
        case .decimal, .number:
            let decimal: NSNumber? = ColumnValues.decimal(statement, position)
            return decimal ?? NSNumber(value: statement.double(at: position))
        case .date: return Date(timeIntervalSinceReferenceDate: statement.double(at: position))
        case .uuid: return ColumnValues.uuid(statement, position)
        case .url: return ColumnValues.uri(statement, position)
        case .whole, .real, .wholeOrReal, .text, .data, .other:
            switch statement.columnType(at: position) {
            case .null: return nil
            case .integer where kind == .real: return NSNumber(value: statement.double(at: position))
            case .integer: return NSNumber(value: statement.int64(at: position))
            case .real: return NSNumber(value: statement.double(at: position))
            case .text: return statement.string(at: position)
            case .blob: return statement.data(at: position)
            }
        }
    }
}
