// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes translated statements on one connection, within the limits of their permission.

import Foundation
package import SQLiteDriver

/// One statement on one connection. NamedSQL-8, NamedSQL-12.
package struct NamedRun {
    private let connection: Connection
    private let statement: NamedStatement

    init(_ statement: NamedStatement, on connection: Connection) {
        self.statement = statement
        self.connection = connection
    }

    /// A statement of a person at a prompt, who may read all tables of the file.
    package static func typed(_ text: String, _ tables: NamedTables, on connection: Connection) throws -> NamedRun {
        let query = SQLQuery(typed: text)
        return NamedRun(try NamedTranslation.statement(query, tables, allowsExplain: true), on: connection)
    }

    /// Calls the body with the statement before its first step, with its values.
    ///
    /// - Parameter readsAllTables: whether the statement may read tables that it names as the file does.
    /// - Throws: a `SQLQueryError` for a fault of the query, `CancellationError`, SQLite's error for a fault of the
    ///   file, and the errors of the body.
    package func prepared<Result>(readsAllTables: Bool = false, _ body: (Statement) throws -> Result) throws -> Result {
        let permission = try permission(readsAllTables)
        connectTableFunctions()
        connection.setWatch(every: 10_000) { Task.isCancelled }
        defer { connection.setWatch(nil) }
        return try connection.limited(to: permission) { authorizer in
            do {
                let prepared = try connection.prepare(statement.sql)
                guard prepared.isReadOnly else {
                    throw SQLQueryError(.refused, "it would write, and queries only read.")
                }
                try prepared.bind(statement.arguments.map(\.sqlite))
                return try body(prepared)
            } catch let error as SQLiteError {
                if error.isInterrupted, Task.isCancelled { throw CancellationError() }
                throw statement.error(error, refusal: authorizer.refusal) ?? error
            }
        }
    }

    /// SQLite declares the columns of a table-valued function when a connection first uses it, which its authorizer
    /// takes for a change of the database. So that happens before the limits begin.
    private func connectTableFunctions() {
        for name in NamedTableFunctions.all.sorted() where statement.sql.lowercased().contains(name) {
            // A SQLite without the function reports that for the statement itself.
            _ = try? connection.prepare("SELECT 1 FROM \(name)(NULL)")
        }
    }

    private func permission(_ readsAllTables: Bool) throws -> ReadPermission {
        let names = try connection.rows("SELECT LOWER(name) FROM sqlite_master WHERE type IN ('table', 'view')")
        return statement.permission(Set(names.compactMap { $0[0].textValue }), readsAllTables)
    }

    // MARK: Results

    func rows(_ kinds: [SQLColumnKind], _ schema: Schema) throws -> SQLQueryResult {
        try prepared { prepared in
            let added = statement.objects.values.filter { $0.addedColumn != nil }.count
            let count = max(prepared.columnCount - added, 0)
            guard count == kinds.count else {
                throw SQLQueryError(
                    .wrongColumns,
                    "the result has \(count) columns (\(prepared.columnNames.prefix(count).joined(separator: ", "))), and "
                        + "\(kinds.count) types are given.")
            }
            var result = SQLQueryResult(columnNames: Array(prepared.columnNames.prefix(count)), rows: [])
            while try prepared.step() {
                result.rows.append((0..<count).map { value(prepared, $0, of: count, schema) })
            }
            return result
        }
    }

    func plan() throws -> SQLQueryPlan {
        let lines = try prepared { _ in try connection.queryPlan(statement.sql) }
        return SQLQueryPlan(sql: statement.sql, queryPlan: lines)
    }

    private func value(_ row: Statement, _ column: Int, of count: Int, _ schema: Schema) -> SQLQueryResult.Value {
        if let object = statement.objects[column] {
            let key = row.int64(at: column)
            // A key that is not positive counts as nil: see `RowDecoder`.
            guard key > 0 else { return .null }
            let number = object.entity ?? object.addedColumn.map { row.int64(at: count + $0) } ?? 0
            guard let layout = schema.layout(number: number) else { return .null }
            return .object(ObjectKey(layout.index, key))
        }
        switch row.value(at: column) {
        case .null: return .null
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .text(let value): return .text(value)
        case .blob(let value): return .bytes(value)
        }
    }
}

extension SQLArgument {
    fileprivate var sqlite: SQLiteValue {
        switch content {
        case .null, .unsupported: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let value): .text(value)
        case .bytes(let value): .blob(value)
        case .object(let id): .integer(id.key)
        }
    }
}
