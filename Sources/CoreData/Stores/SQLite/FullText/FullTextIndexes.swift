// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The full-text indexes of an open store: made or removed when it opens, and looked up for each search.

import Foundation
import SQLiteDriver
import Synchronization

/// The store option for full-text indexes.
enum FullTextOption {
    /// Absent: indexes that are there stay, and are used.
    case unset
    case on
    /// Explicitly false: indexes are removed.
    case off

    init(_ options: [AnyHashable: Any]?) {
        guard let value = options?[NSFullTextIndexOption], !(value is NSNull) else {
            self = .unset
            return
        }
        self = StoreFlag.isSet(NSFullTextIndexOption, in: options) ? .on : .off
    }
}

/// The indexes that searches of one store may use. Thread-safe.
///
/// # States of an index
///     absent ──opened with the option──▶ kept ──opened with `false`──▶ absent
///       ▲                                  │ a trigger is dropped, or other attributes are searched
///       └────────────── remade ◀───────── unused
final class FullTextIndexes: Sendable {
    private struct State {
        /// The version of the file's schema in which the indexes were found; nil before the first search.
        var version: Int64?
        var usable: [FullTextTable] = []
    }

    private let wanted: [FullTextTable]
    private let state = Mutex(State())

    init(schema: Schema) { wanted = FullTextTable.wanted(by: schema) }

    /// The indexes of the state that a connection reads. Another process may have made, changed or removed them.
    /// SearchIndexes-4.
    ///
    /// - Parameter connection: within a read transaction, so that the indexes are still there for the search.
    /// - Throws: SQLite's errors.
    func usable(on connection: Connection) throws -> [FullTextTable] {
        if wanted.isEmpty { return [] }
        let version = try connection.schemaVersion()
        if let known = state.withLock({ $0.version == version ? $0.usable : nil }) { return known }
        let kept = try kept(on: connection)
        let usable = wanted.filter(kept.contains)
        state.withLock { $0 = State(version: version, usable: usable) }
        return usable
    }

    /// None if this SQLite library has no full-text search: another program may have made the file.
    private func kept(on connection: Connection) throws -> [FullTextTable] {
        do {
            return try FullTextTable.found(on: connection).filter(\.isKept).map(\.table)
        } catch let error as SQLiteError where error.lacksModule {
            return []
        }
    }

    /// Makes the indexes of the model, or removes all, as the option asks. A file that is already as asked is not
    /// written.
    ///
    /// - Parameter connection: the writer, outside of a transaction.
    /// - Throws: SQLite's errors; the file is then unchanged.
    func settle(_ option: FullTextOption, on connection: Connection) throws {
        if option == .unset { return }
        let asked = option == .on ? wanted : []
        guard try !isSettled(asked, connection) else { return }
        try connection.write {
            // Another process may have made the same indexes since the first look.
            guard try !isSettled(asked, connection) else { return }
            let found = try FullTextTable.found(on: connection)
            let right = found.filter { $0.isKept && asked.contains($0.table) }.map(\.table)
            let rightNames = Set(right.flatMap { [$0.name] + $0.triggerNames })
            let wrong = try connection.schema().filter { entry in !rightNames.contains(entry.name) }
            for statement in FullTextTable.removals(of: wrong) { try connection.execute(statement) }
            for table in asked where !right.contains(table) {
                for statement in table.statements { try connection.execute(statement) }
            }
        }
    }

    private func isSettled(_ asked: [FullTextTable], _ connection: Connection) throws -> Bool {
        let entries = try connection.schema()
        let found = try FullTextTable.found(in: entries) { try connection.columns(of: $0).map(\.name) }
        let kept = found.filter(\.isKept).map(\.table)
        let triggers = entries.filter { $0.type == "trigger" && FullTextTable.isOwn($0.name) }.count
        return kept.count == found.count && kept.count == asked.count && asked.allSatisfy(kept.contains)
            && triggers == kept.count * 3
    }
}

extension FullTextTable {
    /// The statements that make the index with all rows, and then keep it.
    var statements: [String] { [creation, filling] + triggers }
}
