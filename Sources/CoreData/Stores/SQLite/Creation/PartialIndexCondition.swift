// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates the predicate of a partial index to the WHERE clause of its statement.

import CoreDataFoundation
import Foundation

/// Writes the condition with literal values: a CREATE INDEX statement cannot have placeholders. Apple's framework
/// writes a space before each column: `WHERE  ZOPEN = 1`, and `WHERE ( ZOPEN = 1 AND  ZSIZE > 2)` for two comparisons.
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
        return condition.inlined
    }

    private func unusable(_ format: String, _ reason: String) -> any Error {
        CoreDataError.storeOperation("An index of \(layout.name) cannot have the condition '\(format)': \(reason).")
    }
}
