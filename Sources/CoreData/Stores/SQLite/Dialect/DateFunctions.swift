// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The SQL function that gives the part of a date, by the calendar that memory uses. Aggregates-9.

import Foundation
import SQLiteDriver

enum DateFunctions {
    static let part = "OCD_DATE_PART"

    static func add(to connection: Connection) throws {
        let readers = Readers()
        try connection.addFunction(part, argumentCount: 2, options: .deterministic) { arguments in
            switch arguments[0] {
            case .integer, .real: .real(try readers.reader(arguments).number(of: arguments.double(0)))
            case .null, .text, .blob: .null
            }
        }
    }

    /// The text by which the function knows a part.
    static func text(_ part: DatePart) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(part), as: UTF8.self)
    }

    /// Keeps the reader of the current statement.
    private final class Readers: @unchecked Sendable {  // the connection calls it on one thread at a time
        private var text: [UInt8] = []
        private var last: DatePartReader?

        func reader(_ arguments: FunctionArguments) throws -> DatePartReader {
            guard let bytes = arguments.textBytes(1) else { throw UnknownPart() }
            if let last, bytes.count == text.count, bytes.elementsEqual(text) { return last }
            let reader = DatePartReader(try JSONDecoder().decode(DatePart.self, from: Data(bytes)))
            last = reader
            text = Array(bytes)
            return reader
        }
    }

    private struct UnknownPart: Error, CustomStringConvertible {
        var description: String { "\(DateFunctions.part) expects a part of dates" }
    }
}
