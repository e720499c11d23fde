// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks whether row security separates the tenants of a store, and whether the store has tenants at all.

import CoreData
import Foundation
import PostgreSQLDriver

/// Checks whether row security applies to the user and to all tables.
struct TenantCheck {
    let dialect: PostgreSQLDialect
    let settings: StoreSettings
    let connection: Connection
    let deadline: Deadline

    /// - Throws: 134080 for a user with the privilege to bypass row security.
    func checkUser() throws {
        if !dialect.hasTenants { return }
        var name: String?
        try connection.run(
            Statement(
                "SELECT rolname::text FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)",
                isReused: false), deadline
        ).forEachRow { name = $0[0].text }
        guard let name else { return }
        throw refusal(
            "Row security does not concern the user \(name), who is a superuser or has BYPASSRLS: all tenants would be "
                + "seen. Connect as another user.")
    }

    /// - Throws: 134080 if a table of the store shows the rows of all tenants.
    func checkTables() throws {
        if !dialect.hasTenants { return }
        var names: [String] = []
        try connection.run(
            Statement(
                "SELECT c.relname::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND c.relkind = 'r' AND obj_description(c.oid, 'pg_class') = 'OpenCoreData' "
                    + "AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY 1",
                [.text(dialect.schema)], isReused: false), deadline
        ).forEachRow { if let name = $0[0].text { names.append(name) } }
        if names.isEmpty { return }
        throw refusal("These tables have no forced row security: \(names.joined(separator: ", ")).")
    }

    /// A store without tenants cannot be opened with a tenant, nor the other way round.
    func checkKind(_ columns: Set<String>?) throws {
        guard let columns, columns.contains(PostgreSQLDialect.tenantColumn) != dialect.hasTenants else { return }
        throw refusal(
            dialect.hasTenants
                ? "The store was made without tenants: leave NSPostgreSQLTenantOption out."
                : "The store has tenants: say which with NSPostgreSQLTenantOption.")
    }

    /// The columns of the store's metadata table; nil if it does not exist.
    func ownColumns() throws -> Set<String>? {
        var result: Set<String> = []
        try connection.run(
            Statement(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 "
                    + "AND NOT attisdropped", [.text(dialect.qualified("ocd_store"))], isReused: false), deadline
        ).forEachRow { if let name = $0[0].text { result.insert(name) } }
        return result.isEmpty ? nil : result
    }

    // MARK: The shared version of all tenants

    static func versionComment(_ mark: Data, _ dialect: PostgreSQLDialect) -> String {
        "COMMENT ON COLUMN \(dialect.qualified("ocd_store")).model_hashes IS '\(mark.base64EncodedString())'"
    }

    /// - Throws: 134080 if the tables have another version of the model.
    func checkVersion(_ mark: Data) throws {
        let comment = try connection.run(
            Statement(
                "SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = to_regclass($1) "
                    + "AND attname = 'model_hashes'", [.text(dialect.qualified("ocd_store"))], isReused: false),
            deadline
        ).first(\.text)
        if comment == mark.base64EncodedString() { return }
        throw refusal("The tables of its tenants are those of another version of the model.")
    }

    private func refusal(_ reason: String) -> NSError {
        CoreDataError.cannotOpenStore(url: settings.connection.publicURL, reason: reason)
    }
}
