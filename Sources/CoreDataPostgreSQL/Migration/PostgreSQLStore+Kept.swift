// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the stores with former rows that the migrations of a store have made.

import CoreData
public import Foundation
import PostgreSQLDriver

extension PostgreSQLStore {
    /// The copies of a store from before its migrations, which `MigrationOption.keepsOriginal` asks for.
    ///
    /// Each is a store of its version, in another schema of the database. A coordinator opens it by its URL, puts it
    /// back in the place of the store, and destroys it:
    ///
    /// ```swift
    /// for original in try PostgreSQLStore.keptOriginals(of: url) {
    ///     try coordinator.destroyPersistentStore(at: original, ofType: NSPostgreSQLStoreType)
    /// }
    /// ```
    ///
    /// To put one back, close the store in all programs, and call `replacePersistentStore` with the URL of the store as
    /// the destination and that of the copy as the source. Thread-safe.
    ///
    /// - Parameters:
    ///   - url: the URL of the store.
    ///   - options: the options with which the store is opened.
    /// - Returns: URLs without a password, in the order of their names; empty without copies.
    /// - Throws: 134080 if the database cannot be reached.
    /// - Complexity: one query.
    public static func keptOriginals(of url: URL, options: [AnyHashable: Any]? = nil) throws -> [URL] {
        try kept(.original, of: url, options)
    }

    /// The stores with the rows that the migrations of a store have left out, which `MigrationOption.quarantine` asks
    /// for; otherwise as `keptOriginals(of:options:)`.
    ///
    /// - Parameters:
    ///   - url: the URL of the store.
    ///   - options: the options with which the store is opened.
    /// - Returns: URLs without a password, in the order of their names; empty if every row was migrated.
    /// - Throws: 134080 if the database cannot be reached.
    public static func quarantines(of url: URL, options: [AnyHashable: Any]? = nil) throws -> [URL] {
        try kept(.quarantine, of: url, options)
    }

    private static func kept(_ kind: ServerCopy.Kind, of url: URL, _ options: [AnyHashable: Any]?) throws -> [URL] {
        try reading(url, options) { connection, sessions in
            let settings = sessions.settings
            var result: [URL] = []
            try connection.run(
                Statement(
                    "SELECT nspname::text FROM pg_namespace WHERE obj_description(oid, 'pg_namespace') = $1 "
                        + "ORDER BY nspname", [.text(kind.mark(of: settings.schema))], isReused: false),
                sessions.deadline
            ).forEachRow { row in
                if let name = row[0].text { result.append(settings.connection.publicURL.inSchema(name)) }
            }
            return result
        }
    }
}
