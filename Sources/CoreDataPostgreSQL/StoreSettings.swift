// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options of a PostgreSQL store.

import CoreData
import Foundation
import PostgreSQLDriver

/// Store option: the namespace (schema) of the store's tables, text; `public` unless set here or by `schema=` in the
/// URL.
public let NSPostgreSQLSchemaOption = "NSPostgreSQLSchemaOption"
/// Store option: Boolean; `true` creates the tables of a new store with foreign keys. A save that links to a record
/// which another client has deleted then throws 134030; without foreign keys the link is dangling, as in other kinds of
/// stores. They cost the server about as much time as the insertions themselves. `false` unless set; no effect on an
/// existing store.
public let NSPostgreSQLForeignKeysOption = "NSPostgreSQLForeignKeysOption"
/// Store option: Boolean; `false` for transaction poolers that do not keep prepared statements. `true` unless set.
public let NSPostgreSQLPreparedStatementsOption = "NSPostgreSQLPreparedStatementsOption"
/// Store option: the seconds that the server may be silent while it answers; 60 unless set. If COMMIT is not answered
/// in that time, the token of the save decides whether it is durable.
public let NSPostgreSQLAnswerTimeoutOption = "NSPostgreSQLAnswerTimeoutOption"
/// Store option: the seconds that a query generation lasts; 60 unless set. Afterwards, reads of a context that is
/// pinned to it throw 134070. A generation holds a connection, and keeps the server from removing old rows.
public let NSPostgreSQLGenerationTimeoutOption = "NSPostgreSQLGenerationTimeoutOption"
/// Store option: the URLs of standbys of the server, an array of `URL` or text. Fetches and faults are read from them,
/// and never show an older state than this store has seen. Each URL names one standby, with the same database.
public let NSPostgreSQLReadURLsOption = "NSPostgreSQLReadURLsOption"
/// Store option: the seconds by which a standby may trail the primary; 5 unless set. The store queries the position of
/// the primary that often. Rows that the store itself has saved or read are never outdated.
public let NSPostgreSQLReadDelayOption = "NSPostgreSQLReadDelayOption"
/// Store option: the URL or the path of a JSON file that maps entities to existing tables. Its keys are those of
/// `userInfo` in the model without `postgresql.`; it takes precedence over the model.
///
/// ```json
/// {"schema": "shop", "entities": {"Film": {"table": "film", "properties": {"title": {"column": "film_title"}}}}}
/// ```
public let NSPostgreSQLMappingOption = "NSPostgreSQLMappingOption"
/// Store option: the tenant, text. Each tenant has a separate store in the same tables; the server's row security shows
/// each tenant only its own rows. The user must neither be a superuser nor have BYPASSRLS.
public let NSPostgreSQLTenantOption = "NSPostgreSQLTenantOption"

struct StoreSettings {
    /// The URL, including a password.
    let place: URL
    var connection: ConnectionSettings
    let schema: String
    let hasForeignKeys: Bool
    /// nil for a store without tenants.
    let tenant: String?
    let preparesStatements: Bool
    let isReadOnly: Bool
    let ignoresVersion: Bool
    let history: HistoryTrackingOption
    let retention: PersistentHistoryRetention?
    /// Whether the store has full-text indexes; nil for those that are there.
    let fullText: Bool?
    /// Whether notifications of other clients' commits are posted.
    let followsOthers: Bool
    /// The time that the server may be silent.
    let answerTimeout: Duration
    /// The time to wait for a lock, or for a free connection.
    let timeout: Duration
    /// The lifetime of a query generation.
    let generationTimeout: Duration
    let connectTimeout: Duration = .seconds(5)
    let maximumConnections: Int
    let limits: StoreLimits
    /// The URLs of standbys, including passwords.
    let readPlaces: [URL]
    /// The time by which a standby may trail the primary.
    let readDelay: Duration
    /// See `TableMapping`.
    let mapping: URL?
    /// The observers of the store's coordinator; nil without them.
    var observation: StoreObservation?

    init(_ url: URL, _ options: [AnyHashable: Any]?) throws {
        place = url
        connection = try ConnectionSettings(url)
        // The server would truncate a longer name.
        schema = SnakeNames().limited(
            (options?[NSPostgreSQLSchemaOption] as? String) ?? connection.schema ?? "public")
        func flag(_ key: String, unless value: Bool) -> Bool {
            options?[key] == nil ? value : StoreFlag.isSet(key, in: options)
        }
        func number(_ key: String) -> Double? { options?[key].flatMap { AttributeValues.number($0)?.doubleValue } }
        switch options?[NSPostgreSQLMappingOption] {
        case nil: mapping = nil
        case let file as URL: mapping = file
        case let path as String: mapping = URL(fileURLWithPath: path)
        default:
            throw CoreDataError.cannotOpenStore(
                url: connection.publicURL,
                reason: "NSPostgreSQLMappingOption takes the URL or the path of a JSON file.")
        }
        hasForeignKeys = flag(NSPostgreSQLForeignKeysOption, unless: false)
        tenant = try Self.tenant(options?[NSPostgreSQLTenantOption], hasForeignKeys: hasForeignKeys)
        preparesStatements = flag(NSPostgreSQLPreparedStatementsOption, unless: true)
        isReadOnly = flag(NSReadOnlyPersistentStoreOption, unless: false)
        ignoresVersion = flag(NSIgnorePersistentStoreVersioningOption, unless: false)
        history = HistoryTrackingOption(options)
        retention = PersistentHistoryRetention(options)
        let hasWish = options?[NSFullTextIndexOption].map { !($0 is NSNull) } ?? false
        fullText = hasWish ? flag(NSFullTextIndexOption, unless: false) : nil
        followsOthers = flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey, unless: false)
        answerTimeout = .seconds(max(0.05, number(NSPostgreSQLAnswerTimeoutOption) ?? 60))
        generationTimeout = .seconds(max(0.05, number(NSPostgreSQLGenerationTimeoutOption) ?? 60))
        timeout = .seconds(max(0.05, number(NSPersistentStoreTimeoutOption) ?? 5))
        limits = StoreLimits(options)
        maximumConnections = max(
            1, limits.connections ?? Int(number(NSPersistentStoreConnectionPoolMaxSizeKey) ?? 8))
        readDelay = .seconds(max(0, number(NSPostgreSQLReadDelayOption) ?? 5))
        readPlaces = try Self.urls(options?[NSPostgreSQLReadURLsOption])
        if connection.hostCount > 1, !isReadOnly { connection.setDefault("target_session_attrs", "read-write") }
        setDefaults()
    }

    private mutating func setDefaults() {
        connection.setDefault("client_encoding", "UTF8")
        connection.setDefault("fallback_application_name", "OpenCoreData")
        connection.setDefault("tcp_user_timeout", "30000")
        connection.setDefault("keepalives_idle", "30")
    }

    /// These settings for another server.
    func at(_ url: URL) throws -> StoreSettings {
        var result = self
        result.connection = try ConnectionSettings(url)
        result.setDefaults()
        return result
    }

    private static func tenant(_ option: Any?, hasForeignKeys: Bool) throws -> String? {
        guard let option else { return nil }
        guard let name = option as? String, !name.isEmpty, !name.contains("\0") else {
            throw PostgreSQLError(.unusable, "NSPostgreSQLTenantOption is a text that is not empty.")
        }
        if hasForeignKeys {
            throw PostgreSQLError(
                .unusable, "A store with tenants has no foreign keys: leave NSPostgreSQLForeignKeysOption out.")
        }
        return name
    }

    private static func urls(_ option: Any?) throws -> [URL] {
        guard let option else { return [] }
        let urls = (option as? [Any])?.map { $0 as? URL ?? ($0 as? String).flatMap { URL(string: $0) } }
        guard let urls, !urls.contains(nil) else {
            throw PostgreSQLError(.unusable, "NSPostgreSQLReadURLsOption is an array of URLs.")
        }
        return urls.compactMap(\.self)
    }
}
