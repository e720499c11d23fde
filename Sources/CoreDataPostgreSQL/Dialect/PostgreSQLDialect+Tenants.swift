// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What tables with rows of several tenants have beside the columns of the model.

import CoreData
import Foundation

/// Documentation/Internals/PostgreSQL.md, PostgreSQL-E1 to E5. A store without tenants has nothing of it.
extension PostgreSQLDialect {
    static let tenantColumn = "tenant"

    /// The column at the end of a table. Statements never name it: its default is the tenant of the transaction.
    var tenantColumn: [String] {
        guard hasTenants else { return [] }
        return [
            "tenant text COLLATE \"C\" NOT NULL DEFAULT current_setting('ocd.tenant', true) CHECK (tenant <> '')"
        ]
    }

    /// The same behind other columns.
    var furtherTenantColumn: String { tenantColumn.map { ", " + $0 }.joined() }

    /// The beginning of a key or an index.
    var tenantLead: String { hasTenants ? "tenant, " : "" }

    /// The beginning of an exclusion.
    var tenantEquality: String { hasTenants ? "tenant WITH =, " : "" }

    /// A primary key, of one column or of several.
    func primaryKey(_ columns: String) -> String { "PRIMARY KEY (\(tenantLead)\(columns))" }

    /// Row security, which holds for the owner of the tables as well.
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
