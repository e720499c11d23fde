// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the computed parts of a store: derived attributes and spatial indexes.

import Foundation
package import SQLiteDriver

extension StoreTables {
    /// A column with the values of a derived attribute.
    package struct DerivedColumn: Sendable {
        package let entity: String
        package let attribute: String
        package let table: String
        package let tableSQL: String
        package let columnSQL: String
        /// The value that a row of the table must have, as an SQL expression.
        package let valueSQL: String
        /// The numbers of the entities with the attribute.
        package let family: [Int64]
    }

    /// An R-tree over attributes of an entity. It has an entry for each row of the table.
    package struct SpatialIndex: Sendable {
        package let entity: String
        /// The name of its table in the file.
        package let name: String
        package var sql: String { SchemaNaming.quoted(name) }
        package let table: String
        package let tableSQL: String
        /// The columns of the rows, quoted, with the names of their bounds in the index.
        package let bounds: [(columnSQL: String, least: String, greatest: String)]
        /// The statement that creates it without entries.
        package let creation: String
        /// The statement that adds an entry for each row.
        package let filling: String
    }

    /// The columns of derived attributes whose values depend on other values: all except those of `now()`, and of
    /// expressions that SQL cannot compute.
    ///
    /// - Throws: `Missing`, and SQLite's errors.
    package static func derivedColumns(_ connection: Connection, model: NSManagedObjectModel) throws -> [DerivedColumn]
    {
        let schema = try existing(connection, model)
        // With `isStrict` false no attribute is refused; without trigger names all columns are computed.
        let computed = try DerivedColumns(schema: schema, triggers: [], isStrict: false).columns.map { column in
            derived(column.mapping, column.family, column.attribute, column.name, column.value.inlined)
        }
        let counted = SchemaTriggers(schema: schema).counts.map {
            derived($0.mapping, $0.family, $0.attribute, $0.column, $0.value)
        }
        return computed + counted
    }

    private static func derived(
        _ mapping: EntityMapping, _ family: [Int64], _ attribute: String, _ column: String, _ value: String
    ) -> DerivedColumn {
        DerivedColumn(
            entity: mapping.layout.name, attribute: attribute, table: mapping.table.name, tableSQL: mapping.table.sql,
            columnSQL: column, valueSQL: value, family: family)
    }

    /// Recomputes all derived columns, for rows that were written by SQL. The versions of rows do not change.
    ///
    /// - Throws: `Missing`, and SQLite's errors.
    package static func computeDerived(_ connection: Connection, model: NSManagedObjectModel) throws {
        for column in try derivedColumns(connection, model: model) {
            let entities = column.family.map(String.init).joined(separator: ", ")
            try connection.run(
                "UPDATE \(column.tableSQL) SET \(column.columnSQL) = \(column.valueSQL) "
                    + "WHERE Z_ENT IN (\(entities)) AND \(column.columnSQL) IS NOT \(column.valueSQL)")
        }
    }

    /// The spatial indexes that a model defines.
    ///
    /// - Throws: `Missing`, and SQLite's errors.
    package static func spatialIndexes(_ connection: Connection, model: NSManagedObjectModel) throws -> [SpatialIndex] {
        SchemaTriggers(schema: try existing(connection, model)).spatialIndexes.map { index in
            SpatialIndex(
                entity: index.mapping.layout.name, name: index.name, table: index.mapping.table.name,
                tableSQL: index.mapping.table.sql, bounds: index.bounds, creation: index.creation,
                filling: index.filling)
        }
    }

    static func existing(_ connection: Connection, _ model: NSManagedObjectModel) throws -> Schema {
        do {
            return try Schema(model: model.compiledLayout(), entities: nil, in: StoreInventory(connection))
        } catch let mismatch as SchemaMismatch {
            throw Missing(names: mismatch.missing)
        }
    }

    /// The assignment that gives a changed row a new version.
    package static var newVersion: String { VersionColumn.increment }
}
