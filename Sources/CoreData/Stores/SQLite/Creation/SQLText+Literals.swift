// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQL with literal values, for statements that cannot have placeholders.

import Foundation

extension SQLText {
    /// The statement with each placeholder replaced by its value.
    var inlined: String {
        var values = values[...]
        return text.reduce(into: "") { text, character in
            if character == "?", let value = values.popFirst() {
                text += Self.literal(value)
            } else {
                text.append(character)
            }
        }
    }

    private static func literal(_ value: ColumnValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .boolean(let value): value ? "1" : "0"
        case .double(let number): String(number)
        case .decimal(let number): String(ColumnArgument.double(number))
        case .date(let date): String(date.timeIntervalSinceReferenceDate)
        case .text(let text): SchemaNaming.literal(text)
        case .uuid(let uuid): literal(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .bytes(let data): literal(data)
        case .list(let values): "(" + values.map(literal).joined(separator: ", ") + ")"
        }
    }

    private static func literal(_ data: Data) -> String {
        "X'" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }
}
