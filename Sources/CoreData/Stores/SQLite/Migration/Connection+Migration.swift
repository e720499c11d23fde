// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SQLite's connection as the shared steps of a migration use it.

import SQLiteDriver

extension Connection: MigrationConnection {
    package func integers(_ query: String) throws -> [[Int64]] {
        try rows(query).map { row in row.map { $0.integerValue ?? 0 } }
    }
}
