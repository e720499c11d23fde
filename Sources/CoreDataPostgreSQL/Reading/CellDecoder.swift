// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes snapshots of the rows that the server sends: the hottest loop of a fetch.

import CoreData
import Foundation
import PostgreSQLDriver

/// Reads rows that begin with key and version, then the entity if a table has several, then the columns of a plan.
///
/// A column type that differs from the model's is an error: another program has migrated the store (PostgreSQL-M5).
struct CellDecoder: SnapshotDecoder {
    let plan: RowPlan
    let schema: Schema
    /// The server keeps all data in its columns.
    var externalFolder: URL? { nil }
    private let cache: CacheFillPermit
    private let root: Int
    private let hasKinds: Bool
    /// The name of a mapped table; nil for the store's own tables.
    private let mapped: String?
    private let entities: [String: RowPlan.Entity]
    private let stamp = RowClock.now
    private var last: (name: String, entity: RowPlan.Entity)?
    private var hasCheckedTypes = false

    init(_ opened: OpenServer, _ plan: RowPlan, root: EntityLayout, _ cache: CacheFillPermit) {
        self.plan = plan
        schema = opened.schema
        self.cache = cache
        self.root = root.rootIndex
        hasKinds = opened.schema.model.layouts[root.rootIndex].hasSubentities
        mapped = opened.schema.mapping(root).flatMap { opened.dialect.mapped[$0.table.name] }
            .map { "\($0.schema).\($0.table)" }
        entities = Dictionary(plan.entities.map { ($0.layout.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private var base: Int { hasKinds ? 3 : 2 }

    /// nil for a row of an entity that is not in the plan.
    ///
    /// - Throws: an error that says that the table has changed (`StoreErrors.missesTables`).
    mutating func row(_ cells: CellRow) throws -> FetchedRow? {
        if !hasCheckedTypes { try checkTypes(cells) }
        guard let key = cells[0].integer, let version = cells[1].integer, let entity = entity(cells) else { return nil }
        if key < 1 {
            if let mapped { throw RefusedKey(entity: entity.layout.name, table: mapped, key: key) }
            return nil
        }
        let layout = entity.layout
        if !layout.hasDerivedAttributes, let known = cache.row(root: root, key: key), known.version == version,
            known.hasLayout(layout)
        {
            return FetchedRow(key: key, snapshot: known)
        }
        let snapshot = Snapshot.make(layout, version: version)
        snapshot.stamp = stamp
        decode(cells, entity.steps, base: base, into: snapshot)
        return FetchedRow(key: key, snapshot: snapshot)
    }

    /// Checks the first row; the types are the same for all rows.
    private mutating func checkTypes(_ cells: CellRow) throws {
        hasCheckedTypes = true
        for entity in plan.entities {
            for step in entity.steps where !fits(step, cells.type(base + Int(step.column))) {
                throw PostgreSQLError(.server, code: "0A000", "A column has another type than the model says.")
            }
        }
    }

    /// Numbers and dates have several types of equal length; other values cannot be confused.
    private func fits(_ step: ColumnStep, _ type: UInt32) -> Bool {
        switch step.kind {
        case .integer, .key, .keyAndEntity:
            type == TypeNumber.int64 || type == TypeNumber.int32 || type == TypeNumber.int16
        case .real: type == TypeNumber.double || type == TypeNumber.float
        case .boolean: type == TypeNumber.boolean
        case .date: type == TypeNumber.timestamp
        case .boxed: if case .decimal = plan.codings[Int(step.extra)] { type == TypeNumber.numeric } else { true }
        case .string, .external, .composite: true
        }
    }

    private mutating func entity(_ cells: CellRow) -> RowPlan.Entity? {
        guard hasKinds else { return plan.entities.first }
        guard let name = cells[2].text else { return nil }
        // Rows of one entity usually come together.
        if let last, last.name == name { return last.entity }
        guard let entity = entities[name] else { return nil }
        last = (name, entity)
        return entity
    }
}

/// A row of a mapped table with a key that no object can have (MappedTables-K2).
struct RefusedKey: Error {
    let entity: String
    let table: String
    let key: Int64
}
