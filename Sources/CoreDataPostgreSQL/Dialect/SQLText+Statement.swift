// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Numbers the placeholders of a text, and converts its values to the server's binary format.

import CoreData
import Foundation
import PostgreSQLDriver

extension SQLText {
    /// The statement with $1, $2 … in place of the question marks.
    func statement(isReused: Bool? = nil) -> Statement {
        Statement(Self.numbered(text), values.map(\.parameter), isReused: isReused)
    }

    /// Question marks within quoted names are not placeholders.
    static func numbered(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 16)
        var number = 0
        var quote: UInt8?
        // Bytes, not characters: a combining mark after a quotation mark would hide it.
        for byte in text.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "?") {
                number += 1
                result += "$\(number)".utf8
                continue
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension ColumnValue {
    var parameter: Parameter {
        switch self {
        case .null: .null(TypeNumber.text)
        case .integer(let number): .int64(number)
        case .boolean(let value): .boolean(value)
        case .double(let number): .double(number)
        case .decimal(let number): .decimal(number)
        case .date(let date): .timestamp(date.timeIntervalSinceReferenceDate)
        case .text(let text): .text(text)
        case .uuid(let uuid): .uuid(uuid)
        case .bytes(let data): .bytes(data)
        case .list(let values): Self.array(values)
        }
    }

    private static func array(_ values: [ColumnValue]) -> Parameter {
        var array = ArrayBuilder(of: values.first?.parameter.type ?? TypeNumber.int64, capacity: values.count)
        for value in values {
            switch value {
            case .integer(let number): array.append(number)
            case .boolean(let value): array.append(value)
            case .double(let number): array.append(number)
            case .decimal(let number): array.append(number)
            case .date(let date): array.append(timestamp: date.timeIntervalSinceReferenceDate)
            case .text(let text): array.append(text)
            case .uuid(let uuid): array.append(uuid)
            case .bytes(let data): array.append(data)
            case .null, .list: array.appendNull()
            }
        }
        return array.parameter
    }
}
