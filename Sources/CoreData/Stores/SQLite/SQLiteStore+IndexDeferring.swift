// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes and makes the indexes of a database that a migration by objects fills.

import SQLiteDriver

extension SQLiteStore: IndexDeferring {
    func removeIndexes() throws -> [String] {
        try change { connection in
            let indexes = try TableIndexes(on: connection)
            try indexes.drop(on: connection)
            return indexes.statements
        }
    }

    func makeIndex(_ statement: String) throws { try change { try $0.execute(statement) } }

    private func change<T>(_ body: (Connection) throws -> T) throws -> T {
        let pool = try opened().pool
        do {
            return try pool.write { connection in try connection.write { try body(connection) } }
        } catch {
            throw failure(error)
        }
    }
}
