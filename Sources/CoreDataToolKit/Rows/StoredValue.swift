// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values of columns to cells and JSON, without a loss.

import CoreData
import CoreDataExchange
import Foundation
import SQLiteDriver

/// The value of one column, by the kind of its attribute.
enum StoredValue {
    typealias Kind = StoreTables.Kind

    private static let notANumber = StoreTables.notANumber

    // MARK: Data

    /// The data of a column; large data is read from its file.
    ///
    /// - Returns: nil if the value is no data, or if its file is missing.
    static func data(_ value: SQLiteValue, _ kind: Kind, folder: URL) -> Data? {
        guard let bytes = value.blobValue else { return nil }
        guard kind == .externalBinary else { return bytes }
        switch bytes.first {
        case 1: return Data(bytes.dropFirst())
        case 2:
            guard let name = StoreTables.fileName(bytes) else { return nil }
            return try? Data(contentsOf: folder.appendingPathComponent(name))
        default: return bytes
        }
    }

    /// Whether two columns have the same value. Numbers are equal across storage classes.
    static func isEqual(_ one: SQLiteValue, _ other: SQLiteValue, _ kind: Kind, _ folders: (URL, URL)) -> Bool {
        if kind == .externalBinary {
            if one == .null || other == .null { return one == other }
            // Inline data is compared as it is.
            if one == other, one.blobValue?.first != 2 { return true }
            return data(one, kind, folder: folders.0) == data(other, kind, folder: folders.1)
        }
        // `String` compares characters, not bytes.
        if case .text(let first) = one, case .text(let second) = other { return first.utf8.elementsEqual(second.utf8) }
        if one == other { return true }
        if let first = one.realValue, let second = other.realValue {
            if case .integer = one, case .integer = other { return false }
            return first == second
        }
        return false
    }

    // MARK: Cells

    static func cell(_ value: SQLiteValue, _ kind: Kind, folder: URL) -> Cell {
        switch (kind, value) {
        case (_, .null): return .null
        case (.boolean, .integer(let number)) where number == 0 || number == 1: return .boolean(number == 1)
        case (.date, _):
            return value.realValue.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? plain(value)
        case (.uuid, .blob(let bytes)):
            return UUID(bytes: bytes).map { .uuid($0) } ?? .data(bytes)
        case (.uri, .text(let text)): return URL(string: text).map { .url($0) } ?? .string(text)
        case (.decimal, .text(notANumber)): return .decimal(.nan)
        case (.externalBinary, .blob(let bytes)):
            guard let data = data(value, kind, folder: folder) else {
                return .missing(file: StoreTables.fileName(bytes) ?? "")
            }
            return .data(data)
        default: return plain(value)
        }
    }

    private static func plain(_ value: SQLiteValue) -> Cell {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .string(text)
        case .blob(let bytes): .data(bytes)
        }
    }

    // MARK: JSON

    /// The value as JSON that `RecordValue.column` reads back without a loss.
    ///
    /// - Parameter blob: called with data; it writes it to a file, or returns it as text.
    static func json(
        _ value: SQLiteValue, _ kind: Kind, folder: URL, blob: (Data) throws -> JSONValue
    ) throws -> JSONValue {
        switch (kind, value) {
        case (_, .null): return .null
        case (.boolean, .integer(let number)) where number == 0 || number == 1: return .boolean(number == 1)
        case (.date, .integer), (.date, .real):
            return ExchangeDate.json(value.realValue ?? 0)
        case (.uuid, .blob(let bytes)):
            if let uuid = UUID(bytes: bytes) { return .string(uuid.uuidString) }
            return try blob(bytes)
        case (.externalBinary, .blob(let bytes)):
            if let data = data(value, kind, folder: folder) { return try blob(data) }
            return .members(["missingFile": .string(StoreTables.fileName(bytes) ?? "")])
        case (_, .integer(let number)): return .integer(number)
        case (_, .real(let number)):
            if number == 0, number.sign == .minus { return .number("-0.0") }
            return number.isFinite ? .number("\(number)") : .members(["real": .string("\(number)")])
        case (.decimal, .text(notANumber)): return .string(notANumber)
        case (_, .text(let text)):
            // A column of numbers may hold text, which must not come back as a number.
            return kind == .string || kind == .uri ? .string(text) : .members(["text": .string(text)])
        case (_, .blob(let bytes)): return try blob(bytes)
        }
    }
}

/// Dates as the values of exports: a text, or an object with the seconds since 2001 where no text has the same value.
enum ExchangeDate {
    static func json(_ seconds: Double) -> JSONValue {
        if let text = DateText.exact(seconds) { return .string(text) }
        return .members(["seconds": .number("\(seconds)")])
    }
}
