// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hand-written SQL through the C interface with the same result as a migration.

import CSystemSQLite
import Foundation

/// The tables and indexes of a file.
struct FileSchema {
    private var creations: [String: String] = [:]
    private(set) var indexes: [String: String] = [:]
    private(set) var tables: [String] = []
    private var columnNames: [String: [String]] = [:]

    init(_ file: URL) throws {
        let database = try TwinDatabase(file)
        try database.rows("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name") { row in
            if row[0] == "index" { indexes[row[1]] = row[2] } else { creations[row[1]] = row[2] }
            if row[0] == "table" { tables.append(row[1]) }
        }
        for table in tables {
            try database.rows("SELECT name FROM pragma_table_info('\(table)')") {
                columnNames[table, default: []].append($0[0])
            }
        }
    }

    func creation(of table: String) -> String? { creations[table] }
    func columns(of table: String) -> [String] { columnNames[table] ?? [] }
}

/// A connection with SQLite's own settings, and the cache of the framework's migrations.
final class TwinDatabase {
    private var handle: OpaquePointer?
    /// The order keys given so far, by owner.
    private final class Counters { var last: [Int64: Int64] = [:] }
    private let counters = Counters()

    init(_ file: URL) throws {
        let code = sqlite3_open_v2(
            file.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        try execute("PRAGMA cache_size = -16384")
        sqlite3_create_function_v2(
            handle, "next_order", 1, SQLITE_UTF8, Unmanaged.passUnretained(counters).toOpaque(),
            { context, _, values in
                guard let values, let data = sqlite3_user_data(context) else { return }
                guard sqlite3_value_type(values[0]) != SQLITE_NULL else { return sqlite3_result_null(context) }
                let counters = Unmanaged<Counters>.fromOpaque(data).takeUnretainedValue()
                let owner = sqlite3_value_int64(values[0])
                let next = counters.last[owner].map { $0 + 1024 } ?? 2048
                counters.last[owner] = next
                sqlite3_result_int64(context, next)
            }, nil, nil, nil)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Calls the body with the columns of each row as texts.
    func rows(_ sql: String, _ body: ([String]) -> Void) throws {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            body(
                (0..<sqlite3_column_count(statement)).map {
                    sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? ""
                })
        }
    }

    private func failure(_ code: Int32) -> BenchmarkFailure {
        BenchmarkFailure("SQLite \(code): \(handle.map { String(cString: sqlite3_errmsg($0)) } ?? "")")
    }
}

struct MigrationTwin {
    /// Milliseconds of processor time.
    struct Times {
        var statements: Double
        /// `quick_check` of the written tables.
        var check: Double
    }

    let job: MigrationJob
    let old: FileSchema
    let new: FileSchema

    /// As the framework does: no log while the migration runs, one transaction.
    func run(_ file: URL) throws -> Times {
        let statements = Stopwatch()
        let database = try TwinDatabase(file)
        try database.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
        for name in old.indexes.keys.sorted() where new.indexes[name] != old.indexes[name] {
            try database.execute("DROP INDEX \(name)")
        }
        // A rebuilt table loses its indexes.
        let isRebuilt = job.statements(new).contains { $0.hasPrefix("DROP TABLE") }
        for statement in job.statements(new) { try database.execute(statement) }
        for (name, sql) in new.indexes.sorted(by: { $0.key < $1.key }) where isRebuilt || old.indexes[name] != sql {
            try database.execute(sql)
        }
        var times = Times(statements: statements.sample.cpu, check: 0)
        let check = Stopwatch()
        for table in job.written { try database.execute("PRAGMA quick_check(\(table))") }
        times.check = check.sample.cpu
        let end = Stopwatch()
        try database.execute("COMMIT; PRAGMA journal_mode = WAL")
        times.statements += end.sample.cpu
        return times
    }
}
