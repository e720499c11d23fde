// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates the predicate of a partial index to the WHERE clause of its statement.

import CoreDataFoundation
import Foundation

/// Writes the condition with literal values: a CREATE INDEX statement cannot have placeholders.
struct PartialIndexCondition {
    let schema: Schema
    let layout: EntityLayout

    /// - Throws: a Cocoa error for a predicate that cannot be parsed or is not allowed in an index.
    func text(_ format: String) throws -> String {
        let level = QueryLevel(schema: schema, numbers: AliasNumbers())
        let place = RowPlace(level: level, alias: "", layout: layout)
        let translator = PredicateTranslator(expressions: ExpressionTranslator(schema: schema, place: place))
        let condition: SQLText
        do {
            condition = try translator.condition(try PredicateSyntax.parsing(format))
        } catch let failure as NotTranslatable {
            throw unusable(format, failure.reason)
        } catch let failure as PredicateFormatError {
            throw unusable(format, "\(failure)")
        }
        guard level.joins.isEmpty, !condition.text.contains("SELECT"), !condition.text.contains("OCD_") else {
            throw unusable(format, "it leads to other rows, or needs functions that only we have")
        }
        // Apple writes two spaces.
        return " " + inlined(condition)
    }

    private func inlined(_ condition: SQLText) -> String {
        var values = condition.values[...]
        return condition.text.reduce(into: "") { text, character in
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

    private func unusable(_ format: String, _ reason: String) -> any Error {
        CoreDataError.storeOperation("An index of \(layout.name) cannot have the condition '\(format)': \(reason).")
    }
}
