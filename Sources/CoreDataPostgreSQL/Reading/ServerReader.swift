// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads rows by key, and members of to-many relationships by owner, any number in one statement.

package import CoreData
import Foundation
import PostgreSQLDriver

package struct ServerReader: ConnectionReader {
    let opened: OpenServer
    let connection: Connection
    /// By default past the store's cache.
    package var cache = CacheFillPermit(RowCache())

    package var schema: Schema { opened.schema }
    package var plans: RowPlans { opened.plans }

    package func outcome(of fetch: BoundFetch) throws -> FetchOutcome {
        try ServerFetch(reader: self, fetch: fetch).outcome().ordered(for: fetch)
    }

    package func explanation(of fetch: BoundFetch, in store: NSPersistentStore) throws -> FetchExplanation.Store {
        try ServerFetch(reader: self, fetch: fetch).explanation(of: store)
    }

    package func rows(_ keys: [Int64], root: EntityLayout) throws -> [FetchedRow] {
        guard !keys.isEmpty,
            let table = opened.schema.mapping(root.rootIndex)?.table ?? opened.schema.mapping(root)?.table
        else { return [] }
        let plan = opened.plans.rows(table.root, includesSubentities: true)
        var decoder = CellDecoder(opened, plan, root: table.root, cache)
        var result: [FetchedRow] = []
        result.reserveCapacity(keys.count)
        let statement =
            keys.count == 1
            ? Statement(SQLText.numbered(plan.selectionByKey), [.int64(keys[0])])
            : Statement(plan.selection + "= ANY($1)", [.int64s(keys)])
        try connection.run(statement, opened.sessions.deadline).forEachRow { cells in
            if let row = try decoder.row(cells) { result.append(row) }
        }
        cache.record(result)
        return result
    }

    package func rows(_ question: UniquenessDiagnosis.Question) throws -> [FetchedRow] {
        var decoder = CellDecoder(opened, question.plan, root: question.table.root, cache)
        var rows: [FetchedRow] = []
        try connection.run(question.selection.statement(), opened.sessions.deadline).forEachRow { cells in
            // A constraint of a subentity does not apply to its siblings.
            if let row = try decoder.row(cells), row.snapshot.layout.isKind(of: question.family) { rows.append(row) }
        }
        return rows
    }

    package func members(of slot: Int, layout: EntityLayout, owners: [Int64]) throws -> [Int64: [Reference]] {
        guard let mapping = opened.schema.mapping(layout), case .toMany(let storage) = mapping.storage[slot],
            let target = opened.schema.mapping(Int(layout[slot].destination))
        else { return [:] }
        let place = layout[slot]
        let kind = target.table.root.hasSubentities ? ", m.kind" : ""
        var result: [Int64: [Reference]] = [:]
        func collect(_ text: String) throws {
            let answer = try connection.run(Statement(text, [.int64s(owners)]), opened.sessions.deadline)
            answer.forEachRow { cells in
                guard let owner = cells[0].integer, let key = cells[1].integer else { return }
                var entity = Int(place.destination)
                if !kind.isEmpty {
                    guard let found = cells[2].text.flatMap(opened.schema.model.layout(named:))?.index,
                        found >= place.destination, found < place.destinationEnd
                    else { return }
                    entity = found
                }
                result[owner, default: []].append(Reference(entityIndex: entity, key: key))
            }
        }
        switch storage {
        case .column(let name, let order, let table):
            let key = opened.dialect.quoted(name)
            let sorting = (order.map { ["m.\(opened.dialect.quoted($0)) NULLS FIRST"] } ?? []) + ["m.id"]
            try collect(
                "SELECT m.\(key), m.id\(kind) FROM \(table.sql) AS m WHERE m.\(key) = ANY($1) "
                    + "ORDER BY \(sorting.joined(separator: ", "))")
        case .join(let join, let isOwner):
            let (owner, member) = (join.column(of: isOwner), join.column(of: !isOwner))
            let sorting = (join.order(of: isOwner).map { ["j.\($0) NULLS FIRST"] } ?? []) + ["m.id"]
            try collect(
                "SELECT j.\(owner), m.id\(kind) FROM \(join.sql) AS j JOIN \(target.table.sql) AS m "
                    + "ON m.id = j.\(member) WHERE j.\(owner) = ANY($1) ORDER BY \(sorting.joined(separator: ", "))")
            if join.isReflexive {
                // A link applies in both directions, whichever side wrote it.
                try collect(
                    "SELECT j.\(member), m.id\(kind) FROM \(join.sql) AS j JOIN \(target.table.sql) AS m "
                        + "ON m.id = j.\(owner) WHERE j.\(member) = ANY($1) ORDER BY m.id")
                for (key, members) in result {
                    var seen: Set<Int64> = []
                    result[key] = members.filter { seen.insert($0.key).inserted }
                }
            }
        }
        return result
    }
}
