// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Caches the texts of look-ups, so that those that differ only in their values are translated once.

import CoreData
import CoreDataFoundation
import PostgreSQLDriver
import Synchronization

/// The texts of fetches by integers and finite numbers. A text with strings or dates may depend on their values, which
/// are compared in several ways (`OperandTypes`). Thread-safe.
final class LookUpTexts: Sendable {
    private struct Entry {
        let text: String
        /// Retained, so that the identifier in the key is not reused for another fetch.
        let fetch: PreparedFetch
    }

    private let entries = Mutex<[SelectKey: Entry]>([:])

    /// The statement with the values of the fetch; nil if it must be translated.
    func statement(for fetch: BoundFetch) -> Statement? {
        guard fetch.prepared.hasShape, let text = entries.withLock({ $0[SelectKey(fetch)]?.text }) else { return nil }
        return Self.values(of: fetch).map { Statement(text, $0.map(\.parameter)) }
    }

    /// Caches the text if its values are those of the fetch, not values that the translation made.
    func keep(_ statement: Statement, of sql: SQLText, for fetch: BoundFetch) {
        guard fetch.prepared.hasShape, Self.values(of: fetch) == sql.values else { return }
        entries.withLock { entries in
            // Programs use few shapes.
            if entries.count > 1_000 { entries = [:] }
            entries[SelectKey(fetch)] = Entry(text: statement.text, fetch: fetch.prepared)
        }
    }

    /// In the order of the placeholders; nil if the text may depend on a value.
    private static func values(of fetch: BoundFetch) -> [ColumnValue]? {
        var values: [ColumnValue] = []
        for comparison in fetch.comparisons {
            switch comparison.value {
            case .integer(let number): values.append(.integer(number))
            case .double(let number) where number.isFinite: values.append(.double(number))
            default: return nil
            }
        }
        if fetch.limit != 0 { values.append(.integer(Int64(fetch.limit))) }
        if fetch.offset != 0 { values.append(.integer(Int64(fetch.offset))) }
        return values
    }
}
