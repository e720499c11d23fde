// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The PostgreSQL store as Migration sees it: it migrates by statements, and replaces a store by a new one.

package import CoreData
import Foundation
import PostgreSQLDriver

extension PostgreSQLStore: MigratingInPlace {
    package static func shown(_ place: URL) -> URL { ConnectionSettings.withoutPassword(place) }

    package static func metadata(at place: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
        let found = try reading(place, options) {
            try ServerMetadata.read($0, PostgreSQLDialect($1.settings), $1.deadline)
        }
        if let found { return found }
        throw CoreDataError.cannotOpenStore(
            url: shown(place), .noSuchFile, reason: "There is no store in the schema.")
    }

    package static func cachedModel(at place: URL, options: [AnyHashable: Any]?) throws -> NSManagedObjectModel? {
        try reading(place, options) { try ServerMetadata.model($0, PostgreSQLDialect($1.settings), $1.deadline) }
    }

    package static func survey(_ migration: StatementMigration) throws -> MigrationSurvey {
        try translating(migration.place) { try ServerMigration(migration).survey() }
    }

    package static func script(_ migration: StatementMigration) throws -> MigrationScript? {
        try translating(migration.place) { try ServerMigration(migration).scriptForNewStore() }
    }

    package static func migrate(_ migration: StatementMigration) throws -> StatementMigration.Outcome? {
        try translating(migration.place) { try ServerMigration(migration).run() }
    }

    package static func replace(_ replacement: StoreReplacement) throws -> StoreReplacement.Outcome? {
        try translating(replacement.place) { try ServerReplacement(replacement).run() }
    }

    /// Calls the body with a connection to a store that is not open. It may be called again.
    static func reading<T>(
        _ place: URL, _ options: [AnyHashable: Any]?, _ body: (Connection, Sessions) throws -> T
    ) throws -> T {
        try translating(place) {
            let sessions = Sessions(try StoreSettings(place, options))
            defer { sessions.close() }
            return try sessions.with(repeats: true) { try body($0, sessions) }
        }
    }

    /// Runs a body, and translates the errors of the server as those of an opening.
    static func translating<T>(_ place: URL, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw StoreErrors.opening(error, place)
        }
    }
}
