// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of a row that a database gives, read by column.

import Foundation

/// A row of a result. SQLite's statement is one while it has a row, and so is a row of PostgreSQL's answer.
///
/// Code that is generic over sources is specialised for SQLite's in this module (StoreInterface-1).
package protocol ColumnSource {
    /// 0 for null.
    func key(at column: Int) -> Int64
    func integer(at column: Int) -> Int64?
    func number(at column: Int) -> Double?
    /// A date, in seconds since the reference date.
    func date(at column: Int) -> Double?
    func text(at column: Int) -> String?
    /// The same, for the columns of many rows.
    func text(at column: Int, by maker: StringMaker) -> String?
    func decimal(at column: Int) -> NSDecimalNumber?
    func uuid(at column: Int) -> UUID?
    func bytes(at column: Int) -> Data?
    /// Data that may be in a file of a folder.
    func largeData(at column: Int, in folder: URL?) -> ValueBox?
    /// The index of another row's entity; nil for an unknown one.
    func entity(at column: Int, _ schema: Schema) -> Int?
    /// A computed value of a kind.
    func computed(at column: Int, _ kind: ValueKind) -> Any?
}

extension ColumnSource {
    package func text(at column: Int, by maker: StringMaker) -> String? { text(at: column) }

    func url(at column: Int) -> URL? { text(at: column).flatMap { URL(string: $0) } }

    /// The value of a column for an attribute: numbers as `NSNumber`; nil for null. Data in a file is an
    /// `ExternalData`.
    package func value(_ coding: ColumnCoding, at column: Int, in folder: URL? = nil) -> Any? {
        switch coding {
        case .integer: integer(at: column).map { NSNumber(value: $0) }
        case .boolean: integer(at: column).map { NSNumber(value: $0 != 0) }
        case .float: number(at: column).map { NSNumber(value: Float($0)) }
        case .double: number(at: column).map { NSNumber(value: $0) }
        case .date: date(at: column).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .decimal: decimal(at: column)
        case .string: text(at: column)
        case .uri: url(at: column)
        case .uuid: uuid(at: column)
        case .binary: bytes(at: column)
        case .externalBinary: largeData(at: column, in: folder).flatMap { $0.externalData ?? $0.value }
        case .transformable(let transform): bytes(at: column).flatMap { transform.decode($0) }
        }
    }

    /// nil when all leaves are null.
    func composite(_ leaves: [CompositeLeaf], at first: Int, in folder: URL?) -> ValueBox? {
        var result: [String: Any] = [:]
        var hasFiles = false
        for (offset, leaf) in leaves.enumerated() {
            guard let value = value(leaf.column.coding, at: first + offset, in: folder) else { continue }
            if value is ExternalData { hasFiles = true }
            result.set(value, at: leaf.path[...])
        }
        if result.isEmpty { return nil }
        return hasFiles ? ValueBox(compositeWithFiles: result) : ValueBox(result)
    }
}
