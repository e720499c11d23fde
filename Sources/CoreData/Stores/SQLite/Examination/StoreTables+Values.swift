// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the indexes of values of a file with their rows, without writing to the file.

import Foundation
package import SQLiteDriver

extension StoreTables {
    /// An index of values at paths into the values of a table.
    package struct ValueIndex {
        /// The name of its table in the file.
        package let name: String
        /// The name of the table with the rows.
        package let content: String
        /// Whether its tables and triggers are those of a new index; fetches do not use it otherwise.
        package let isKept: Bool
        /// The statements that make it anew, with all rows pending.
        package let remaking: [String]
        fileprivate let table: ValueTable
        fileprivate let schema: Schema
    }

    /// The indexes of values that a file has and its model asks for.
    ///
    /// - Throws: `Missing`, and SQLite's errors.
    package static func valueIndexes(_ connection: Connection, model: NSManagedObjectModel) throws -> [ValueIndex] {
        let entries = try connection.schema()
        guard entries.contains(where: { ValueTable.isOwn($0.name) }) else { return [] }
        let schema = try existing(connection, model)
        return ValueTable.wanted(by: schema).compactMap { table in
            let names = Set((table.tables + table.triggers).map(\.name))
            let own = entries.filter { names.contains($0.name) }
            if own.isEmpty { return nil }
            return ValueIndex(
                name: table.name, content: table.content, isKept: table.isKept(in: entries),
                remaking: ValueTable.removals(of: own) + table.statements, table: table, schema: schema)
        }
    }
}

extension StoreTables.ValueIndex {
    /// The number of rows of which the index has other entries than those of their values. A pending row has none.
    ///
    /// - Throws: SQLite's errors.
    package func differences(_ connection: Connection) throws -> Int {
        let settlement = ValueSettlement(table, schema, on: connection)
        let kept = try connection.statement(for: "SELECT PATH, V FROM \(table.sql) WHERE K = ?")
        defer { kept.reset() }
        var count = 0
        try connection.withStatement(
            "SELECT R.Z_PK, R.Z_ENT\(settlement.columnList), P.K IS NULL FROM \(table.contentSQL) AS R "
                + "LEFT JOIN \(table.pendingSQL) AS P ON P.K = R.Z_PK"
        ) { row in
            while try row.step() {
                var found: Set<Entry> = []
                try kept.bind(row.int64(at: 0), at: 1)
                while try kept.step() { found.insert(Entry(kept.string(at: 0) ?? "", kept.value(at: 1))) }
                kept.reset()
                let isSettled = row.int64(at: table.columns.count + 2) == 1
                let entries = isSettled ? settlement.entries(row) : []
                if found != Set(entries.map { Entry($0.path, $0.value.columnValue.sqlite) }) { count += 1 }
            }
        }
        return count
    }

    /// Bytes, because strings with composed and decomposed letters are equal.
    private struct Entry: Hashable {
        let path: Data
        let value: Data
        let number: Double?
        let isText: Bool

        init(_ path: String, _ value: SQLiteValue) {
            self.path = Data(path.utf8)
            self.value = value.blobValue ?? value.textValue.map { Data($0.utf8) } ?? Data()
            number = value.realValue
            isText = value.textValue != nil
        }
    }
}
