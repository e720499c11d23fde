// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads rows by key, and members of to-many relationships by owner, many at a time.

import Foundation
import SQLiteDriver

struct RowReader: ConnectionReader {
    let opened: OpenDatabase
    let connection: Connection
    /// By default past the store's cache.
    var cache = CacheFillPermit(RowCache())

    var schema: Schema { opened.schema }
    var plans: RowPlans { opened.plans.rowPlans }

    func outcome(of fetch: BoundFetch) throws -> FetchOutcome { try opened.outcome(of: fetch, connection, cache) }

    func explanation(of fetch: BoundFetch, in store: NSPersistentStore) throws -> FetchExplanation.Store {
        let foreignRows = try countForeignRows(of: fetch)
        return try FetchRun(self, fetch).explanation(of: store, foreignRows)
    }

    func rows(_ keys: [Int64], root: EntityLayout) throws -> [FetchedRow] {
        guard let table = opened.schema.mapping(root.rootIndex)?.table ?? opened.schema.mapping(root)?.table else {
            return []
        }
        let plan = plans.rows(table.root, includesSubentities: true)
        var decoder = RowDecoder(
            plan: plan, schema: opened.schema, rootIndex: table.root.rootIndex, cache: cache,
            externalFolder: opened.externalFolder)
        var result: [FetchedRow] = []
        result.reserveCapacity(keys.count)
        if keys.count > KeyList.few {
            try withKeys(keys, plan.selection) { result += try decoder.rows($0) }
            return result
        }
        try connection.withStatement(plan.selectionByKey) { statement in
            for key in keys {
                try statement.bind(key, at: 1)
                if let row = try decoder.first(statement) { result.append(row) }
                statement.reset()
            }
        }
        return result
    }

    func rows(_ question: UniquenessDiagnosis.Question) throws -> [FetchedRow] {
        var decoder = RowDecoder(
            plan: question.plan, schema: schema, rootIndex: question.table.root.rootIndex, cache: cache,
            externalFolder: opened.externalFolder)
        return try connection.withStatement(question.selection.text) { statement in
            try statement.bind(question.selection.values.map(\.sqlite))
            return try decoder.rows(statement)
        }
    }

    /// Runs a statement that ends in a condition on keys: once for each of a few keys, or once for many.
    private func withKeys(_ keys: [Int64], _ head: String, tail: String = "", _ body: (Statement) throws -> Void)
        throws
    {
        if keys.count > KeyList.few {
            let list = KeyList(keys)
            return try connection.withStatement(head + list.condition + tail) { statement in
                try statement.bind(list.arguments)
                try body(statement)
            }
        }
        try connection.withStatement(head + "= ?" + tail) { statement in
            for key in keys {
                try statement.bind(key, at: 1)
                try body(statement)
                statement.reset()
            }
        }
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64]) throws -> [Int64: [Reference]] {
        guard let mapping = opened.schema.mapping(layout), case .toMany(let storage) = mapping.storage[slot] else {
            return [:]
        }
        var result: [Int64: [Reference]] = [:]
        let place = layout[slot]
        func collect(_ statement: Statement) throws {
            while try statement.step() {
                // Rows of other entities and non-positive keys are excluded, as in fetches.
                let key = statement.int64(at: 1)
                guard key > 0, let entity = opened.schema.index(number: statement.int64(at: 2), destinationOf: place)
                else { continue }
                result[statement.int64(at: 0), default: []].append(Reference(entityIndex: entity, key: key))
            }
        }
        switch storage {
        case .column(let name, let order, let table):
            let key = SchemaNaming.quoted(name)
            let sorting = (order.map { [SchemaNaming.quoted($0), "Z_PK"] } ?? ["Z_PK"]).joined(separator: ", ")
            try withKeys(
                owners, "SELECT \(key), Z_PK, Z_ENT FROM \(table.sql) WHERE \(key) ", tail: " ORDER BY \(sorting)",
                collect)
        case .join(let join, let isOwner):
            guard let target = opened.schema.mapping(Int(place.destination))?.table else { return [:] }
            let (owner, member) = (join.column(of: isOwner), join.column(of: !isOwner))
            let sorting = (join.order(of: isOwner).map { ["j.\($0)", "m.Z_PK"] } ?? ["m.Z_PK"]).joined(separator: ", ")
            // Skips links to missing rows, which other tools may write.
            try withKeys(
                owners,
                "SELECT j.\(owner), m.Z_PK, m.Z_ENT FROM \(join.sql) AS j CROSS JOIN \(target.sql) AS m "
                    + "ON m.Z_PK = j.\(member) WHERE j.\(owner) ", tail: " ORDER BY \(sorting)", collect)
            if join.isReflexive {
                // A link applies in both directions, whichever side wrote it.
                try withKeys(
                    owners,
                    "SELECT j.\(member), m.Z_PK, m.Z_ENT FROM \(join.sql) AS j CROSS JOIN \(target.sql) AS m "
                        + "ON m.Z_PK = j.\(owner) WHERE j.\(member) ", tail: " ORDER BY m.Z_PK", collect)
                for (key, members) in result {
                    var seen: Set<Int64> = []
                    result[key] = members.filter { seen.insert($0.key).inserted }
                }
            }
        }
        return result
    }
}
