// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The additional columns and policies of tables with rows of several tenants.

import CoreData
import Foundation

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-E1 to E5. Everything is empty for a store without tenants.
extension PostgreSQLDialect {
    static let tenantColumn = "tenant"

    /// The last column of a table. Statements never name it: its default is the tenant of the transaction.
    var tenantColumn: [String] {
        guard hasTenants else { return [] }
        return [
            "tenant text COLLATE \"C\" NOT NULL DEFAULT current_setting('ocd.tenant', true) CHECK (tenant <> '')"
        ]
    }

    /// The same after other columns.
    var furtherTenantColumn: String { tenantColumn.map { ", " + $0 }.joined() }

    /// The beginning of a key or an index.
    var tenantLead: String { hasTenants ? "tenant, " : "" }

    /// The beginning of an exclusion.
    var tenantEquality: String { hasTenants ? "tenant WITH =, " : "" }

    /// A primary key, of one column or of several.
    func primaryKey(_ columns: String) -> String { "PRIMARY KEY (\(tenantLead)\(columns))" }

    /// Row security that also applies to the owner of the tables.
    func rowSecurity(of tables: [String]) -> [String] {
        guard hasTenants else { return [] }
        return tables.flatMap { table in
            let place = qualified(table)
            return [
                "CREATE POLICY ocd_tenant ON \(place) USING (tenant = current_setting('ocd.tenant', true)) "
                    + "WITH CHECK (tenant = current_setting('ocd.tenant', true))",
                "ALTER TABLE \(place) ENABLE ROW LEVEL SECURITY", "ALTER TABLE \(place) FORCE ROW LEVEL SECURITY",
            ]
        }
    }
}
