// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of one kind of an open store: made or removed when it opens, and looked up for each use.

import Foundation
import SQLiteDriver
import Synchronization

/// The indexes that one store may use. Thread-safe.
///
/// # States of an index
///     absent ──opened with the option──▶ kept ──opened with `false`──▶ absent
///       ▲                                  │ a trigger is dropped, or the model asks for another index
///       └────────────── remade ◀───────── unused
final class SideIndexes<Table: SideIndexTable>: Sendable {
    private struct State {
        /// The version of the file's schema in which the indexes were found; nil before the first use.
        var version: Int64?
        var usable: [Table] = []
    }

    private let wanted: [Table]
    private let state = Mutex(State())

    init(schema: Schema) { wanted = Table.wanted(by: schema) }

    /// The indexes of the state that a connection reads. Another process may have made, changed or removed them.
    /// SearchIndexes-4.
    ///
    /// - Parameter connection: within a transaction, so that the indexes are still there for their use.
    /// - Throws: SQLite's errors.
    func usable(on connection: Connection) throws -> [Table] {
        if wanted.isEmpty { return [] }
        let version = try connection.schemaVersion()
        if let known = state.withLock({ $0.version == version ? $0.usable : nil }) { return known }
        let entries = try connection.schema()
        let usable = try wanted.filter { try $0.isKept(in: entries) && hasModule($0, connection) }
        state.withLock { $0 = State(version: version, usable: usable) }
        return usable
    }

    /// False if this SQLite library lacks the module of the index: another program may have made the file.
    private func hasModule(_ table: Table, _ connection: Connection) throws -> Bool {
        do {
            try table.requireModule(on: connection)
            return true
        } catch let error as SQLiteError where error.lacksModule {
            return false
        }
    }

    /// Makes the indexes of the model, or removes all, as the option asks. A file that is already as asked is not
    /// written.
    ///
    /// - Parameter connection: the writer, outside of a transaction.
    /// - Throws: SQLite's errors; the file is then unchanged.
    func settle(_ option: SideIndexOption, on connection: Connection) throws {
        if option == .unset { return }
        let asked = option == .on ? wanted : []
        guard try !isSettled(asked, connection) else { return }
        try connection.write {
            // Another process may have made the same indexes since the first look.
            guard try !isSettled(asked, connection) else { return }
            let entries = try connection.schema()
            let right = asked.filter { $0.isKept(in: entries) }
            let rightNames = Set(right.flatMap { ($0.tables + $0.triggers).map(\.name) })
            let wrong = entries.filter { !rightNames.contains($0.name) }
            for statement in Table.removals(of: wrong) { try connection.execute(statement) }
            for table in asked where !right.contains(table) {
                for statement in table.statements { try connection.execute(statement) }
            }
        }
    }

    private func isSettled(_ asked: [Table], _ connection: Connection) throws -> Bool {
        let entries = try connection.schema()
        for table in asked where table.isKept(in: entries) { try table.requireModule(on: connection) }
        let names = Set(asked.flatMap { ($0.tables + $0.triggers).map(\.name) })
        return asked.allSatisfy { $0.isKept(in: entries) }
            && Table.droppedEntries(of: entries).allSatisfy { names.contains($0.name) }
    }
}
