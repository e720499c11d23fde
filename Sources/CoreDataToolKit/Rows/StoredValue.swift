// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values of columns to cells and JSON and back, without a loss.

import CoreData
import Foundation
import SQLiteDriver

/// The value of one column, by the kind of its attribute.
enum StoredValue {
    typealias Kind = StoreTables.Kind

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

    /// The value as JSON that `value(_:_:data:)` reads back without a loss.
    ///
    /// - Parameter blob: called with data; it keeps it in a file, or returns it as text.
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
        case (_, .text(let text)):
            // A column of numbers may hold text, which must not come back as a number.
            return kind == .string || kind == .uri ? .string(text) : .members(["text": .string(text)])
        case (_, .blob(let bytes)): return try blob(bytes)
        }
    }

    /// The value of a column for a JSON value as `JSONSerialization` reads it.
    ///
    /// - Parameter data: the data for an object with the key "file" or "base64".
    /// - Throws: `ToolError` for a value that the kind cannot hold.
    static func value(_ json: Any, _ kind: Kind, data: ([String: Any]) throws -> Data?) throws -> SQLiteValue {
        if let object = json as? [String: Any] {
            if let text = object["text"] as? String { return .text(text) }
            if let text = object["real"] as? String, let number = Double(text) { return .real(number) }
            if let seconds = object["seconds"] as? NSNumber { return .real(seconds.doubleValue) }
            guard let bytes = try data(object) else { return .null }
            return .blob(bytes)
        }
        switch json {
        case is NSNull: return .null
        case let text as String:
            switch kind {
            case .string, .uri: return .text(text)
            case .date:
                guard let seconds = ExchangeDate.seconds(text) else { break }
                return .real(seconds)
            case .uuid:
                guard let uuid = UUID(uuidString: text) else { break }
                return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
            case .binary, .externalBinary, .transformable:
                guard let bytes = Data(base64Encoded: text) else { break }
                return .blob(bytes)
            case .integer, .boolean:
                if let number = Int64(text) { return .integer(number) }
                if text == "true" || text == "false" { return .integer(text == "true" ? 1 : 0) }
            case .float, .double, .decimal:
                if let number = Double(text) { return .real(number) }
            }
            throw ToolError("'\(text)' is no value of the kind '\(kind)'.")
        case let number as NSNumber:
            switch kind {
            case .string, .uri: return .text("\(number)")
            case .integer, .boolean:
                guard let integer = Snapshot.integer(number) else { break }
                return .integer(integer)
            default: return .real(number.doubleValue)
            }
            throw ToolError("\(number) is no value of the kind '\(kind)'.")
        default: throw ToolError("\(json) is no value of the kind '\(kind)'.")
        }
    }
}

extension UUID {
    /// nil for data of another length than 16 bytes.
    init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        let b = [UInt8](bytes)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}

/// Dates as ISO 8601 text with as many digits as the number of seconds has.
enum ExchangeDate {
    /// The range of years that ISO 8601 writes with four digits.
    private static let range = Double(-63_113_904_000)..<Double(252_423_993_600)
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)

    /// Text, or an object with the seconds since 2001 where no text has the same value.
    static func json(_ seconds: Double) -> JSONValue {
        if let text = text(seconds) { return .string(text) }
        return .members(["seconds": .number("\(seconds)")])
    }

    private static func text(_ seconds: Double) -> String? {
        guard seconds.isFinite, range.contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        let base = Date(timeIntervalSinceReferenceDate: whole).formatted(style)
        let fraction = seconds - whole
        if fraction == 0 { return base }
        for digits in [3, 6, 9, 12] {
            let scale = pow(10, Double(digits))
            let number: Double = (fraction * scale).rounded()
            guard number < scale else { continue }
            let decimals = String(Int64(number))
            let text =
                base.dropLast() + "." + String(repeating: "0", count: digits - decimals.count) + decimals + "Z"
            if Self.seconds(String(text)) == seconds { return String(text) }
        }
        return nil
    }

    /// The seconds of a text such as "2024-05-01T12:30:00.25Z", as exports have them; nil for any other form.
    private static func plainSeconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        for (place, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)]
        where bytes[place] != UInt8(ascii: mark) { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var result = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                result = result * 10 + Int(byte) - 48
            }
            return result
        }
        // Older dates are in another calendar for Foundation.
        guard let year = number(0..<4), year >= 1600, let month = number(5..<7), (1...12).contains(month),
            let day = number(8..<10), let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60,
            let second = number(17..<19), second < 60
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        var fraction = 0.0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21,
                bytes[20..<(bytes.count - 1)].allSatisfy({ (48...57).contains($0) }),
                let value = Double("0" + String(decoding: bytes[19..<(bytes.count - 1)], as: UTF8.self))
            else { return nil }
            fraction = value
        }
        let years = year - 2001
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - (2000 / 4 - 2000 / 100 + 2000 / 400)
        let days = years * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second) + fraction
    }

    /// nil for text that is no date. Zones are read; without one it is UTC.
    static func seconds(_ text: String) -> Double? {
        if let seconds = plainSeconds(text) { return seconds }
        guard
            let match = text.wholeMatch(
                of: /(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?/)
        else { return nil }
        // Foundation takes the 30th of February for a day in March.
        guard let day = try? Date("\(match.output.1)T00:00:00Z", strategy: .iso8601),
            day.formatted(style).hasPrefix(match.output.1)
        else { return nil }
        let zone = match.output.4.map(String.init) ?? "Z"
        let plain = "\(match.output.1)T\(match.output.2.map(String.init) ?? "00:00:00")\(zone)"
        guard let date = try? Date(plain, strategy: .iso8601) else { return nil }
        let fraction = match.output.3.flatMap { Double("0" + $0) } ?? 0
        return date.timeIntervalSinceReferenceDate + fraction
    }
}
