// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps the texts of look-ups, so that those that differ in their values alone are translated once.

import CoreData
import CoreDataFoundation
import PostgreSQLDriver
import Synchronization

/// The texts of fetches by integers and finite numbers. A text with strings or dates may depend on them:
/// they are compared in several ways (`OperandTypes`). Thread-safe.
final class LookUpTexts: Sendable {
    private struct Entry {
        let text: String
        /// Keeps the identifier in the key from being given to another fetch.
        let fetch: PreparedFetch
    }

    private let entries = Mutex<[SelectKey: Entry]>([:])

    /// The statement with the values of the fetch; nil if it has to be translated.
    func statement(for fetch: BoundFetch) -> Statement? {
        guard fetch.prepared.hasShape, let text = entries.withLock({ $0[SelectKey(fetch)]?.text }) else { return nil }
        return Self.values(of: fetch).map { Statement(text, $0.map(\.parameter)) }
    }

    /// Keeps the text if its values are those of the fetch: other ones were made by the translation.
    func keep(_ statement: Statement, of sql: SQLText, for fetch: BoundFetch) {
        guard fetch.prepared.hasShape, Self.values(of: fetch) == sql.values else { return }
        entries.withLock { entries in
            // Programs have few shapes.
            if entries.count > 1_000 { entries = [:] }
            entries[SelectKey(fetch)] = Entry(text: statement.text, fetch: fetch.prepared)
        }
    }

    /// In the order of the placeholders; nil if the text may depend on one of them.
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
