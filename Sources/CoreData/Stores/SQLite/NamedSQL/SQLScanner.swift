// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Divides a statement into tokens, as SQLite does.

/// Divides the text of a query into tokens, without comments. NamedSQL-2, NamedSQL-5.
struct SQLScanner {
    private let query: SQLQuery
    private let bytes: [UInt8]
    private var place = 0
    private var tokens: [SQLToken] = []
    private var values: ArraySlice<SQLQuery.Value>

    /// - Throws: a `SQLQueryError` for text that no statement contains.
    static func tokens(_ query: SQLQuery) throws -> [SQLToken] {
        var scanner = SQLScanner(query)
        return try scanner.run()
    }

    private init(_ query: SQLQuery) {
        self.query = query
        bytes = Array(query.text.utf8)
        values = query.values[...]
    }

    private mutating func run() throws -> [SQLToken] {
        if let place = bytes.firstIndex(of: 0) {
            throw fault(.notOneSelect, place, "it contains a NUL character, where SQLite stops reading.")
        }
        while place < bytes.count {
            let start = place
            try scan()
            // A token that contains the place of a value hides it: SQLite would see the question mark as text.
            if let value = values.first, value.offset < place, value.offset >= start { throw hidden(value, start) }
        }
        return tokens
    }

    private mutating func scan() throws {
        let start = place
        let byte = bytes[place]
        switch byte {
        case UInt8(ascii: " "), 9...13: place += 1
        case UInt8(ascii: "-") where next == UInt8(ascii: "-"): skip { $0 != 10 }
        case UInt8(ascii: "/") where next == UInt8(ascii: "*"): skipComment()
        case UInt8(ascii: "'"): try quoted(until: byte, .string)
        case UInt8(ascii: "\""), UInt8(ascii: "`"): try quoted(until: byte, .quotedName)
        case UInt8(ascii: "["): try quoted(until: UInt8(ascii: "]"), .quotedName)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if next == UInt8(ascii: "'") {
                place += 1
                try quoted(until: UInt8(ascii: "'"), .blob, from: start)
            } else {
                word()
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"): number()
        case UInt8(ascii: "."):
            // A period after a name divides names, even if a digit follows.
            if let next, Self.isDigit(next), tokens.last?.isName != true { number() } else { sign(byte) }
        case UInt8(ascii: "?"): try value()
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            throw fault(.notOneSelect, start, "write a value as \\(value): the text itself has no placeholders.")
        default:
            if Self.isNameByte(byte) { word() } else { sign(byte) }
        }
    }

    private var next: UInt8? { place + 1 < bytes.count ? bytes[place + 1] : nil }

    private mutating func skip(_ isPart: (UInt8) -> Bool) {
        while place < bytes.count, isPart(bytes[place]) { place += 1 }
    }

    private mutating func skipComment() {
        place += 2
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
                place += 2
                return
            }
            place += 1
        }
    }

    private mutating func quoted(until end: UInt8, _ kind: SQLToken.Kind, from start: Int? = nil) throws {
        let start = start ?? place
        place += 1
        var content: [UInt8] = []
        while place < bytes.count {
            if bytes[place] == end {
                // A doubled quote is one of the content, except in brackets.
                guard next == end, end != UInt8(ascii: "]") else {
                    place += 1
                    add(kind, start, name: String(decoding: content, as: UTF8.self))
                    return
                }
                place += 1
            }
            content.append(bytes[place])
            place += 1
        }
        throw fault(.invalidStatement, start, "the quotation that begins here does not end.")
    }

    private mutating func word() {
        let start = place
        skip(Self.isNameByte)
        let name = String(decoding: bytes[start..<place], as: UTF8.self)
        add(.word(name.uppercased()), start, name: name)
    }

    private mutating func number() {
        let start = place
        var last: UInt8 = 0
        skip { byte in
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            defer { last = byte }
            return Self.isNameByte(byte) || byte == UInt8(ascii: ".") || isSign && last | 32 == UInt8(ascii: "e")
        }
        add(.number, start)
    }

    private mutating func sign(_ byte: UInt8) {
        let start = place
        place += 1
        add(.sign(byte), start)
    }

    private mutating func value() throws {
        guard let value = values.first, value.offset == place else {
            throw fault(.notOneSelect, place, "write a value as \\(value): the text itself has no placeholders.")
        }
        let number = query.values.count - values.count
        values = values.dropFirst()
        place += 1
        add(.value(number), place - 1)
    }

    private mutating func add(_ kind: SQLToken.Kind, _ start: Int, name: String = "") {
        tokens.append(SQLToken(kind: kind, range: start..<place, name: name))
    }

    private func hidden(_ value: SQLQuery.Value, _ start: Int) -> SQLQueryError {
        fault(
            .unsupportedValue, value.offset,
            "the value is inside a string, a comment or a name. Write it without quotes, as a value of its own.")
    }

    private func fault(_ reason: SQLQueryError.Reason, _ offset: Int, _ sentence: String) -> SQLQueryError {
        SQLQueryError(reason, at: .init(offset, in: query.text), sentence)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
            || (byte | 32 >= UInt8(ascii: "a") && byte | 32 <= UInt8(ascii: "z"))
    }
}
