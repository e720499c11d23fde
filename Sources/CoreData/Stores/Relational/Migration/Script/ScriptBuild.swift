// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the script of a migration from two schemas, in the order of SchemaMigration-M4.

import Foundation
import SQLiteDriver

/// A function of the two schemas and the file's outline: the same input gives the same text (SchemaMigration-M2).
struct ScriptBuild {
    private let transition: SchemaTransition
    private let outline: DatabaseOutline
    private let moved: [MovedLink]
    private let origins: ColumnOrigins
    private let tables: [TableChange]
    private let joins: [JoinChange]
    private let defers: Bool
    /// Whether rows of any entity have gone before the script.
    private let losesRows: Bool
    private var altered: [String: AlteredTable] = [:]

    /// - Parameters:
    ///   - defers: leaves out what changes no answer (SchemaMigration-M16).
    ///   - losesRows: whether rows have been taken out before (SchemaMigration-M18).
    /// - Throws: `ScriptFailure` for a part that no statement can do.
    init(
        _ transition: SchemaTransition, _ outline: DatabaseOutline, rebuilds: Bool = false, defers: Bool = false,
        losesRows: Bool = false
    ) throws {
        self.defers = defers
        self.losesRows = losesRows
        self.transition = transition
        self.outline = outline
        let links = LinkTransition.moved(in: transition)
        moved = links.enumerated().map { MovedLink($1, transition, number: $0 + 1) }
        origins = try ColumnOrigins(transition, moved: links)
        var names = WorkNames(outline.columns.keys)
        let planner = TablePlanner(
            transition: transition, outline: outline, origins: origins, rebuilds: rebuilds, defers: defers)
        tables = planner.plan(&names)
        var used: Set<String> = []
        joins = transition.destination.joinTables.map { JoinChange($0, transition, outline, &names, used: &used) }
        for change in tables where change.way == .altered {
            guard let source = change.source else { continue }
            altered[source] = AlteredTable(change, source: source, defers: defers)
        }
    }

    func script() throws -> MigrationScript {
        let indexes = try IndexChange(outline, transition.destination, touched: touched)
        var script = MigrationScript()
        script.checks = try ScriptChecks(transition: transition, origins: origins).all
        script.released = ReleasedFiles(transition: transition).queries
        script.statements += moved.map(\.collection) + indexes.dropped
        script.statements += tables.filter { $0.way != .altered }.flatMap { RebuiltTable(change: $0).statements }
        script.statements += joins.flatMap(\.fillings)
        for table in altered.sorted(by: { $0.key < $1.key }).map(\.value) { script.statements += table.renames }
        script.statements += joins.flatMap(\.renames)
        for table in altered.sorted(by: { $0.key < $1.key }).map(\.value) { script.statements += table.statements }
        script.statements += joins.flatMap { $0.alterations(defers: defers) }
        script.statements += ended.map { "DROP TABLE \(SchemaNaming.quoted($0))" }
        script.statements += finalNames
        script.statements += joins.flatMap { $0.cleanup(transition) } + oneWayCleanup
        script.statements += moved.flatMap(\.application)
        script.statements += indexes.made
        script.statements += derived(&script) + keyRows
        script.written = tables.compactMap(written)
        return script
    }

    // MARK: Tables

    /// nil for a table that does not stay under its name.
    private func touched(_ name: String) -> Set<String>? {
        if let join = joins.first(where: { $0.source?.name == name }) {
            return join.workName == name ? join.touched : nil
        }
        guard let change = tables.first(where: { $0.source == name && $0.way == .altered }), change.workName == name
        else {
            return nil
        }
        return altered[name]?.touched
    }

    private var ended: [String] {
        let kept = Set(altered.keys).union(joins.compactMap(\.source?.name))
        let all = transition.source.tables.map(\.name) + transition.source.joinTables.map(\.name)
        // Leftovers of earlier migrations go, above all those with the name of a new table.
        let wanted = Set((tables.map(\.table.name) + joins.map(\.join.name)).map { $0.uppercased() })
        let leftovers = outline.columns.keys.filter { name in
            !all.contains(name) && (outline.isRowTable(name) || wanted.contains(name.uppercased()))
        }
        let ended = all.filter { !kept.contains($0) } + leftovers.sorted()
        return defers ? ended.filter { wanted.contains($0.uppercased()) } : ended
    }

    private var finalNames: [String] {
        let pairs = tables.map { ($0.workName, $0.table.name) } + joins.map { ($0.workName, $0.join.name) }
        return pairs.filter { $0 != $1 }.map {
            "ALTER TABLE \(SchemaNaming.quoted($0)) RENAME TO \(SchemaNaming.quoted($1))"
        }
    }

    private func written(_ change: TableChange) -> MigrationScript.WrittenTable? {
        let isRebuilt = change.way == .rebuilt
        guard let source = change.source,
            isRebuilt || altered[source].map({ $0.writesRows || $0.dropsColumns }) ?? false
        else { return nil }
        let former = transition.source.entities.filter { $0.table.name == source && !$0.layout.isAbstract }
        return MigrationScript.WrittenTable(
            name: change.table.name, source: source, isRebuilt: isRebuilt,
            isSole: former.count == 1 && change.entities.count == 1 && change.leaving.isEmpty,
            numbers: change.entities.map { ($0.oldNumber, $0.newNumber) },
            entities: change.entities.map(\.destination.layout.name))
    }

    // MARK: Rows

    /// Keys of relationships without an inverse have no entity column, so those of removed owners are found by look-up.
    private var oneWayCleanup: [String] {
        transition.destination.entities.flatMap { mapping -> [String] in
            let parent =
                mapping.layout.superIndex >= 0 ? transition.destination.mapping(mapping.layout.superIndex) : nil
            return ((parent?.layout.slotCount ?? 0)..<mapping.layout.slotCount).compactMap { slot in
                guard case .toMany(.column(let key, _, let table)) = mapping.storage[slot],
                    let link = LinkTransition(mapping, slot, in: transition), link.inverse == nil,
                    link.sources.contains(where: { !transition.removed.isDisjoint(with: $0.targetsOfB) })
                else { return nil }
                let column = SchemaNaming.quoted(key)
                return "UPDATE \(table.sql) SET \(column) = NULL WHERE \(column) NOT IN "
                    + "(SELECT Z_PK FROM \(mapping.table.sql))"
            }
        }
    }

    /// Derived attributes that are new, have another derivation, or count members that may have gone.
    private func derived(_ script: inout MigrationScript) -> [String] {
        var result: [String] = []
        for entity in transition.entities where !entity.destination.layout.isAbstract {
            let mapping = entity.destination
            for slot in mapping.layout.attributeSlots where mapping.layout[slot].isDerived {
                guard case .attribute(let column) = mapping.storage[slot],
                    let derivation = Derivation(mapping.layout, slot: slot, model: transition.destination.model)
                else { continue }
                let isNew = AttributeOrigin(entity, slot).isComputedAnew
                let name = SchemaNaming.quoted(column.name)
                let head = "UPDATE \(mapping.table.sql) SET \(name) = "
                let tail = " WHERE Z_ENT = \(mapping.number)"
                switch derivation {
                case .now: if isNew { result.append("\(head)NSCoreDataNow()\(tail)") }
                case .count(let relationship):
                    guard isNew || mayLoseMembers || !moved.isEmpty else { continue }
                    if let count = count(mapping, relationship) { result.append(head + count + tail) }
                case .computed:
                    if isNew || mayLoseMembers { script.computedRoots.insert(mapping.layout.rootIndex) }
                }
            }
        }
        return result
    }

    private var mayLoseMembers: Bool { losesRows || !transition.removed.isEmpty }

    private func count(_ mapping: EntityMapping, _ relationship: Int) -> String? {
        guard case .toMany(let storage) = mapping.storage[relationship] else { return nil }
        let (many, key): (String, String)
        switch storage {
        case .column(let column, _, let table): (many, key) = (table.sql, SchemaNaming.quoted(column))
        case .join(let join, let isOwner): (many, key) = (join.sql, join.column(of: isOwner))
        }
        return "(SELECT COUNT(*) FROM \(many) AS M WHERE M.\(key) = \(mapping.table.sql).Z_PK)"
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
