// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The schema of a store with mapped tables, which exist already.

import CoreData
import Foundation
import PostgreSQLDriver

/// Builds the schema twice: the first one provides the names under which mapped tables are read.
struct MappedSchema {
    let schema: Schema
    let dialect: PostgreSQLDialect
    private(set) var sequences: [Int: KeyBlocks.Sequence] = [:]
    /// The mapped tables without a key sequence, by the index of the root entity.
    private(set) var tablesWithoutSequence: [Int: String] = [:]

    /// - Throws: 134020 with all differences between the mapping and the tables (MappedTables-T2).
    init(
        _ model: ModelLayout, _ entities: Set<String>, _ settings: StoreSettings, _ mapping: TableMapping,
        _ connection: Connection, _ deadline: Deadline
    ) throws {
        let plain = PostgreSQLDialect(settings)
        let own = Schema(model: model, entities: entities, dialect: plain)
        guard !mapping.isEmpty else {
            (schema, dialect) = (own, plain)
            return
        }
        if plain.hasTenants {
            throw CoreDataError.cannotOpenStore(
                url: settings.connection.publicURL, .schema,
                reason: "Mapped tables cannot have tenants: leave NSPostgreSQLTenantOption out.")
        }
        let catalog = try ServerCatalog(
            connection, schemas: mapping.schemas.union([settings.schema]).sorted(), deadline)
        let check = TableComparison(own, mapping, catalog, ownSchema: settings.schema)
        guard check.problems.isEmpty else {
            let list = check.problems.map { "\n- \($0)" }.joined()
            throw CoreDataError.cannotOpenStore(
                url: settings.connection.publicURL, .schema,
                reason: "The mapping does not fit the tables of the database:\(list)")
        }
        let isWhole = (own.tables.map(\.name) + own.joinTables.map(\.name)).allSatisfy { check.tables[$0] != nil }
        dialect = PostgreSQLDialect(schema: settings.schema, mapped: check.tables, isWhole: isWhole)
        schema = Schema(model: model, entities: entities, dialect: dialect)
        sequences = check.sequences
        for table in own.tables where check.sequences[table.root.rootIndex] == nil {
            tablesWithoutSequence[table.root.rootIndex] = check.tables[table.name].map { "\($0.schema).\($0.table)" }
        }
    }
}
