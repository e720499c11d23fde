// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of single columns of a statement, as the attributes have them.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// The values of single columns, as the attributes have them.
enum ColumnValues {
    /// A column stores a decimal as a floating-point number; its shortest text is the decimal that was stored. A
    /// decimal that is not a number is stored as text.
    static func decimal(_ statement: Statement, _ column: Int) -> NSDecimalNumber? {
        let number: Decimal?
        switch statement.columnType(at: column) {
        case .null: return nil
        case .integer: number = Decimal(statement.int64(at: column))
        case .real:
            number = ExactDecimal.of(statement.double(at: column))
        case .text, .blob: number = statement.string(at: column).flatMap { ExactDecimal.of($0) }
        }
        return number.map { NSDecimalNumber(decimal: $0) }
    }

    static func uri(_ statement: Statement, _ column: Int) -> URL? {
        statement.string(at: column).flatMap { URL(string: $0) }
    }

    static func uuid(_ statement: Statement, _ column: Int) -> UUID? {
        if statement.columnType(at: column) == .text {
            return statement.string(at: column).flatMap { UUID(uuidString: $0) }
        }
        guard let bytes = statement.blobBytes(at: column), bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// nil when all leaves are null.
    static func composite(_ leaves: [CompositeLeaf], _ statement: Statement, _ first: Int, _ folder: URL?) -> ValueBox?
    {
        var result: [String: Any] = [:]
        var hasFiles = false
        for (offset, leaf) in leaves.enumerated() {
            guard let value = value(leaf.column.coding, statement, first + offset, folder) else { continue }
            if value is ExternalData { hasFiles = true }
            insert(value, leaf.path[...], into: &result)
        }
        if result.isEmpty { return nil }
        return hasFiles ? ValueBox(compositeWithFiles: result) : ValueBox(result)
    }

    private static func insert(_ value: Any, _ path: ArraySlice<String>, into values: inout [String: Any]) {
        guard let name = path.first else { return }
        if path.count == 1 {
            values[name] = value
        } else {
            var nested = values[name] as? [String: Any] ?? [:]
            insert(value, path.dropFirst(), into: &nested)
            values[name] = nested
        }
    }

    /// The value of a column for an attribute: numbers as `NSNumber`; nil for null. Data in a file is an
    /// `ExternalData`.
    static func value(_ coding: ColumnCoding, _ statement: Statement, _ column: Int, _ folder: URL?) -> Any? {
        switch coding {
        case .integer: statement.int64IfPresent(at: column).map { NSNumber(value: $0) }
        case .boolean: statement.int64IfPresent(at: column).map { NSNumber(value: $0 != 0) }
        case .float: statement.doubleIfPresent(at: column).map { NSNumber(value: Float($0)) }
        case .double: statement.doubleIfPresent(at: column).map { NSNumber(value: $0) }
        case .date: statement.doubleIfPresent(at: column).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .decimal: decimal(statement, column)
        case .string: statement.string(at: column)
        case .uri: uri(statement, column)
        case .uuid: uuid(statement, column)
        case .binary: statement.data(at: column)
        case .externalBinary:
            statement.data(at: column).flatMap { data -> Any? in
                let box = ExternalColumn.box(data, folder: folder)
                return box.externalData ?? box.value
            }
        case .transformable(let transform): statement.data(at: column).flatMap { transform.decode($0) }
        }
    }
}
