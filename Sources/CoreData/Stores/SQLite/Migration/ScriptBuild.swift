// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the script of a migration in SQLite from two schemas, in the order of Migration-M20.

import Foundation
import SQLiteDriver

/// A function of the two schemas and the file's outline: the same input gives the same text (Migration-M18).
struct ScriptBuild {
    private let transition: SchemaTransition
    private let outline: DatabaseOutline
    private let parts: TableScript
    private let defers: Bool
    /// Whether rows of some entity were deleted before the script.
    private let losesRows: Bool

    /// - Parameters:
    ///   - defers: leaves out changes without an effect on answers (Migration-M27).
    ///   - losesRows: whether rows were moved to the quarantine before (Migration-M28).
    /// - Throws: `ScriptFailure` for a change that statements cannot express.
    init(
        _ transition: SchemaTransition, _ outline: DatabaseOutline, rebuilds: Bool = false, defers: Bool = false,
        losesRows: Bool = false
    ) throws {
        self.defers = defers
        self.losesRows = losesRows
        self.transition = transition
        self.outline = outline
        parts = try TableScript(
            transition, present: outline.columns,
            indexCount: { name in outline.indexes.filter { $0.tableName == name }.count }, rebuilds: rebuilds,
            defers: defers)
    }

    func script() throws -> MigrationScript {
        let written = Set(parts.written.flatMap { [$0.name, $0.source].compactMap { $0 } })
        let indexes = try IndexChange(
            outline, transition.destination, touched: parts.touched, isWritten: written.contains)
        let derived = parts.derived(losesRows: losesRows, now: "NSCoreDataNow()")
        var script = MigrationScript()
        script.checks = try parts.checks
        script.released = ReleasedFiles(transition: transition).queries
        script.statements += parts.collections
        script.statements += indexes.dropped
        script.statements += made
        script.statements += parts.tableRenames + parts.joinRenames + parts.alterations + parts.joinAlterations
        script.statements += ended.map { "DROP TABLE \(SchemaNaming.quoted($0))" }
        script.statements += parts.finalNames + parts.cleanups + parts.applications + indexes.made
        script.statements += derived.statements
        script.statements += keyRows
        script.computedRoots = derived.computedRoots
        script.written = parts.written
        return script
    }

    /// Each new table is filled right after it is created.
    private var made: [ScriptStatement] {
        let tables = parts.tables.filter { $0.way != .altered }.flatMap { change in
            [
                ScriptStatement(SchemaDDL.create(change.table, as: change.workName)),
                RebuiltTable(change: change).filling,
            ]
            .compactMap { $0 }
        }
        let joins = parts.joins.filter { $0.source == nil }.flatMap { change in
            ([SchemaDDL.create(change.join, as: change.workName)] + change.fillings).map { ScriptStatement($0) }
        }
        return tables + joins
    }

    private var ended: [String] {
        let all = transition.source.tables.map(\.name) + transition.source.joinTables.map(\.name)
        // Drop leftovers of earlier migrations, especially those with the name of a new table.
        let new = parts.tables.map(\.table.name) + parts.joins.map(\.join.name)
        let wanted = Set(new.map { $0.uppercased() })
        let leftovers = outline.columns.keys.filter { name in
            !all.contains(name) && (outline.isRowTable(name) || wanted.contains(name.uppercased()))
        }
        let ended = parts.ended + leftovers.sorted()
        return defers ? ended.filter { wanted.contains($0.uppercased()) } : ended
    }

    private var keyRows: [String] {
        let highest = Dictionary(
            outline.keys.map { ($0.number, $0.highestKey) }, uniquingKeysWith: { first, _ in first })
        let bound = StoreInventory.ownNumbers
        return ["DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(bound)"]
            + transition.destination.entities.map { mapping in
                let parent =
                    mapping.layout.superIndex >= 0 ? transition.destination.mapping(mapping.layout.superIndex) : nil
                var key: Int64 = 0
                if mapping.layout === mapping.table.root {
                    let sources = transition.entities(in: mapping.table).map { entity in
                        transition.source.mapping(entity.source.table.root)?.number ?? entity.oldNumber
                    }
                    key = sources.compactMap { highest[$0] }.max() ?? 0
                }
                return "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(mapping.number), "
                    + "\(SchemaNaming.literal(mapping.layout.name)), \(parent?.number ?? 0), \(key))"
            }
    }
}
