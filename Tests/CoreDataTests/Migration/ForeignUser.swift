// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens a database as a program in another process does: no store of this process has the connection.

import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Holds the database from its first statement until it is closed.
final class ForeignUser {
    private let connection: Connection
    private var use: DatabaseUse?

    init(of url: URL) throws {
        connection = try Connection(url: url, options: .init(access: .readWrite))
        use = try connection.journalMode() == .wal ? nil : DatabaseUse(of: url)
        _ = try connection.rows("SELECT Z_VERSION FROM Z_METADATA")
    }

    /// Saves a person, the only entity of the store.
    func add(_ name: String) throws {
        try connection.execute(
            "BEGIN; UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1; INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) "
                + "SELECT Z_MAX, Z_ENT, 1, '\(name)' FROM Z_PRIMARYKEY; COMMIT")
    }

    func close() throws {
        try connection.close()
        use = nil
    }
}
