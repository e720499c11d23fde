// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One value of one object, with its text in each output format.

import CoreDataExchange
public import Foundation

/// A value read from a store.
public enum Cell: Sendable, Equatable {
    /// No value.
    case null
    /// A text.
    case string(String)
    /// An integer of any width.
    case integer(Int64)
    /// A number with a binary fraction.
    case real(Double)
    /// A Boolean.
    case boolean(Bool)
    /// A decimal number.
    case decimal(Decimal)
    /// A date.
    case date(Date)
    /// An identifier.
    case uuid(UUID)
    /// An address.
    case url(URL)
    /// Bytes of an unknown format.
    case data(Data)
    /// Data with a keyed archive, a property list or JSON: its contents, and the data itself.
    case structure(JSONValue, Data)
    /// Data with a keyed archive of a custom class that cannot be decoded.
    case archive(className: String, Data)
    /// The value of a transformable attribute: the class of a keyed archive, nil for other data; the archive's content,
    /// nil if it cannot be decoded; the data itself.
    case transformed(className: String?, content: JSONValue?, Data)
    /// Large data with a missing external file.
    case missing(file: String)
    /// A composite attribute.
    case composite([(String, Cell)])
    /// "Entity/12"
    case object(String)
    /// A part of a text, with the places in it that match a search, in Unicode scalars.
    case excerpt(attribute: String, text: String, matches: [Range<Int>])
    /// The members of a to-many relationship, or the values at the end of a key path through one.
    case list([Cell], isObjects: Bool)

    /// Cells are equal if their JSON is.
    public static func == (one: Cell, other: Cell) -> Bool { one.json == other.json }

    /// For tables: the count of to-many relationships, the size and start of data.
    public var tableText: String {
        switch self {
        case .null: return ""
        case .data(let data): return Self.summary(data)
        case .structure(let value, _): return value.text
        case .transformed(_, let content?, _): return content.text
        case .archive(let name, let data), .transformed(let name?, nil, let data):
            return "\(name) archive, \(data.count) bytes"
        case .transformed(nil, nil, let data): return Self.summary(data)
        case .missing(let file): return "missing file \(file)"
        case .excerpt(_, let text, let matches): return Self.marked(text, matches)
        case .list(let cells, let isObjects):
            return isObjects ? "\(cells.count)" : "[" + cells.map(\.tableText).joined(separator: ", ") + "]"
        default: return plainText
        }
    }

    /// For CSV: as in tables, but complete.
    public var csvText: String {
        switch self {
        case .data(let data), .structure(_, let data), .archive(_, let data): data.base64EncodedString()
        case .transformed: json.text
        // As JSON, which can be split for any contents of the values.
        case .list: json.text
        default: tableText
        }
    }

    /// The value as JSON: text for dates, UUIDs, URLs and objects, base64 for data.
    public var json: JSONValue {
        switch self {
        case .null: .null
        case .string, .date, .uuid, .url, .object: .string(plainText)
        case .decimal(let value) where value.isNaN: .string(plainText)
        case .integer, .decimal: .number(plainText)
        case .real(let value): .real(value)
        case .boolean(let value): .boolean(value)
        case .data(let data), .structure(_, let data), .archive(_, let data): .string(data.base64EncodedString())
        case .transformed(let name, let content?, _): .members(["archive": .text(name), "value": content])
        case .transformed(let name, nil, let data):
            .members(["archive": .text(name), "base64": .string(data.base64EncodedString())])
        case .missing(let file): .members(["missingFile": .string(file)])
        case .composite(let elements): .object(elements.map { JSONValue.Member($0.0, $0.1.json) })
        case .excerpt(let attribute, let text, let matches):
            .object([
                JSONValue.Member("attribute", .string(attribute)), JSONValue.Member("text", .string(text)),
                JSONValue.Member(
                    "matches",
                    .array(matches.map { .array([.number("\($0.lowerBound)"), .number("\($0.upperBound)")]) })),
            ])
        case .list(let cells, _): .array(cells.map(\.json))
        }
    }

    /// The natural order of values of one kind; null first.
    func order(_ other: Cell) -> ComparisonResult {
        func compare<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
            one < other ? .orderedAscending : one > other ? .orderedDescending : .orderedSame
        }
        switch (self, other) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.integer(let one), .integer(let other)): return compare(one, other)
        case (.decimal(let one), .decimal(let other)): return compare(one, other)
        case (.date(let one), .date(let other)): return compare(one, other)
        case (.boolean(let one), .boolean(let other)): return compare(one ? 1 : 0, other ? 1 : 0)
        default:
            if let one = number, let other = other.number { return compare(one, other) }
            return plainText.compare(other.plainText, options: .numeric)
        }
    }

    private var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    /// Whether the text is aligned to the right of its column.
    public var isNumber: Bool {
        switch self {
        case .integer, .real, .decimal: true
        case .list(_, let isObjects): isObjects
        default: false
        }
    }

    private var plainText: String {
        switch self {
        case .string(let value), .object(let value): value
        case .integer(let value): "\(value)"
        case .real(let value): JSONValue.numberText(value)
        case .boolean(let value): value ? "true" : "false"
        case .decimal(let value): value.isNaN ? "NaN" : "\(value)"
        case .date(let value): Self.text(of: value)
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        case .composite: json.text
        default: ""
        }
    }

    /// ISO 8601 in UTC, with as many digits of a second as the date has. For years without four digits, the seconds
    /// since 2001.
    public static func text(of date: Date) -> String { DateText.text(date.timeIntervalSinceReferenceDate) }

    /// The text with brackets around the matches.
    private static func marked(_ text: String, _ matches: [Range<Int>]) -> String {
        let scalars = Array(text.unicodeScalars)
        var marked = String.UnicodeScalarView()
        var place = 0
        for match in matches {
            marked.append(contentsOf: scalars[place..<match.lowerBound])
            marked.append("[")
            marked.append(contentsOf: scalars[match])
            marked.append("]")
            place = match.upperBound
        }
        marked.append(contentsOf: scalars[place...])
        return String(marked)
    }

    private static func summary(_ data: Data) -> String {
        let head = data.prefix(12).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        let size = data.count == 1 ? "1 byte" : "\(data.count) bytes"
        return data.isEmpty ? size : "\(size) \(head)\(data.count > 12 ? "…" : "")"
    }
}
