// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out which rows stand in each other's way when a uniqueness constraint has refused a save.

import Foundation
import SQLiteDriver

/// Compares the values that a save would write with one another and with the rows in the store. Outside of any transaction.
struct UniquenessDiagnosis {
    let schema: Schema
    let plans: PlanCache
    let changes: ChangeSet
    let connection: Connection
    let rowCache: RowCache
    let externalFolder: URL?

    private struct Candidate {
        var key: Int64
        var snapshot: Snapshot
    }

    func conflicts() throws -> [SaveOutcome.Conflict] {
        var result: [SaveOutcome.Conflict] = []
        // Rows that the save deletes or rewrites: what they hold now counts for nothing.
        var leaving: [Int: Set<Int64>] = [:]
        for delete in changes.deletes { leaving[delete.layout.rootIndex, default: []].insert(delete.key) }
        for update in changes.updates { leaving[update.snapshot.layout.rootIndex, default: []].insert(update.key) }
        var candidates: [Candidate] = []
        for update in changes.updates { candidates.append(Candidate(key: update.key, snapshot: update.snapshot)) }
        for insert in changes.inserts { candidates.append(Candidate(key: insert.key, snapshot: insert.snapshot)) }
        var holders: [Constraint: [[SQLiteValue]: Int64]] = [:]
        for candidate in candidates {
            let layout = candidate.snapshot.layout
            for names in layout.entity.uniquenessConstraints.map(SchemaDDL.names) {
                guard let values = values(of: names, candidate.snapshot) else { continue }
                let constraint = Constraint(root: layout.rootIndex, names: names)
                if let other = holders[constraint]?[values] {
                    result.append(
                        SaveOutcome.Conflict(
                            kind: .uniqueness(constraint: names), key: candidate.key, layout: layout, rowKey: other,
                            row: nil, rivals: [other, candidate.key]))
                    continue
                }
                holders[constraint, default: [:]][values] = candidate.key
                if let row = try rival(of: candidate, names, values, leaving[layout.rootIndex] ?? []) {
                    result.append(
                        SaveOutcome.Conflict(
                            kind: .uniqueness(constraint: names), key: candidate.key, layout: layout, rowKey: row.key,
                            row: row.snapshot))
                }
            }
        }
        return result
    }

    private struct Constraint: Hashable {
        var root: Int
        var names: [String]
    }

    /// nil when one of them is null: such rows never collide.
    private func values(of names: [String], _ snapshot: Snapshot) -> [SQLiteValue]? {
        let layout = snapshot.layout
        guard let mapping = schema.mapping(layout) else { return nil }
        var result: [SQLiteValue] = []
        for name in names {
            guard let slot = layout.slot(name), !snapshot.isNull(slot) else { return nil }
            switch mapping.storage[slot] {
            case .attribute(let column):
                guard let value = snapshot.value(slot), let argument = ColumnArgument.value(value, column.coding) else {
                    return nil
                }
                result.append(argument)
            case .toOne:
                guard let reference = snapshot.reference(slot) else { return nil }
                result.append(.integer(reference.key))
            default: return nil
            }
        }
        return result.isEmpty ? nil : result
    }

    private func rival(of candidate: Candidate, _ names: [String], _ values: [SQLiteValue], _ leaving: Set<Int64>)
        throws
        -> FetchedRow?
    {
        let layout = candidate.snapshot.layout
        guard let mapping = schema.mapping(layout) else { return nil }
        let columns = names.compactMap { name -> String? in
            switch layout.slot(name).map({ mapping.storage[$0] }) {
            case .attribute(let column)?: SchemaNaming.quoted(column.name)
            case .toOne(let columns)?: SchemaNaming.quoted(columns.key)
            default: nil
            }
        }
        guard columns.count == values.count else { return nil }
        let plan = plans.rows(mapping.table.root, includesSubentities: true)
        var decoder = RowDecoder(
            plan: plan, schema: schema, root: mapping.table.root, cache: rowCache, externalFolder: externalFolder)
        let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let list = plan.columns.map { ", " + $0 }.joined()
        let sql = "SELECT Z_PK, Z_ENT, Z_OPT\(list) FROM \(mapping.table.sql) WHERE \(condition)"
        return try connection.withStatement(sql) { statement in
            try statement.bind(values)
            return try decoder.rows(statement).first { $0.key != candidate.key && !leaving.contains($0.key) }
        }
    }
}
