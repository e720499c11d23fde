// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the columns of a statement's row in the forms that Apple's framework writes.

import CoreDataFoundation
import Foundation
package import SQLiteDriver

extension Statement: ColumnSource {}

extension PresentRow: ColumnSource {}

extension ColumnSource where Self: RowColumns {
    @inline(__always) package func key(at column: Int) -> Int64 { int64(at: column) }
    @inline(__always) package func integer(at column: Int) -> Int64? { int64IfPresent(at: column) }
    @inline(__always) package func number(at column: Int) -> Double? { doubleIfPresent(at: column) }
    @inline(__always) package func date(at column: Int) -> Double? { doubleIfPresent(at: column) }
    @inline(__always) package func text(at column: Int) -> String? { string(at: column) }
    @inline(__always) package func text(at column: Int, by maker: StringMaker) -> String? {
        textBytes(at: column).map { maker.string($0) }
    }
    @inline(__always) package func bytes(at column: Int) -> Data? { data(at: column) }

    /// A column stores a decimal as a floating-point number; its shortest text is the decimal that was stored. A
    /// decimal that is not a number is stored as text.
    package func decimal(at column: Int) -> NSDecimalNumber? {
        let number: Decimal?
        switch columnType(at: column) {
        case .null: return nil
        case .integer: number = Decimal(int64(at: column))
        case .real: number = ExactDecimal.of(double(at: column))
        case .text, .blob: number = string(at: column).flatMap { ExactDecimal.of($0) }
        }
        return number.map { NSDecimalNumber(decimal: $0) }
    }

    package func uuid(at column: Int) -> UUID? {
        if columnType(at: column) == .text { return string(at: column).flatMap { UUID(uuidString: $0) } }
        guard let bytes = blobBytes(at: column), bytes.count == 16 else { return nil }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    package func largeData(at column: Int, in folder: URL?) -> ValueBox? {
        data(at: column).map { ExternalColumn.box($0, folder: folder) }
    }

    @inline(__always) package func entity(at column: Int, _ schema: Schema) -> Int? {
        schema.layout(number: int64(at: column))?.index
    }

    package func computed(at column: Int, _ kind: ValueKind) -> Any? {
        if isNull(at: column) { return nil }
        switch kind {
        // Beyond the range of decimals, arithmetic gives real numbers.
        case .decimal, .number:
            let decimal: NSNumber? = decimal(at: column)
            return decimal ?? NSNumber(value: double(at: column))
        case .date: return Date(timeIntervalSinceReferenceDate: double(at: column))
        case .uuid: return uuid(at: column)
        case .url: return url(at: column)
        case .whole, .real, .wholeOrReal, .text, .data, .other:
            switch columnType(at: column) {
            case .null: return nil
            case .integer where kind == .real: return NSNumber(value: double(at: column))
            case .integer: return NSNumber(value: int64(at: column))
            case .real: return NSNumber(value: double(at: column))
            case .text: return string(at: column)
            case .blob: return data(at: column)
            }
        }
    }
}
