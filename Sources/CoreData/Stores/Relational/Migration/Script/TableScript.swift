// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of a script that are the same for every database: tables, columns, rows and links.

import Foundation

/// A function of two schemas and the existing tables: the same input gives the same text (Migration-M18). Each
/// kind of database combines the parts with its own indexes, constraints and triggers.
package struct TableScript {
    package let transition: SchemaTransition
    package let tables: [TableChange]
    package let joins: [JoinChange]
    private let moved: [MovedLink]
    private let origins: ColumnOrigins
    private let defers: Bool
    private var altered: [String: AlteredTable] = [:]

    /// - Parameters:
    ///   - present: the columns of each table of the source.
    ///   - indexCount: the number of a table's indexes; nil if the database can alter any table in place.
    ///   - defers: leaves out changes without an effect on answers (Migration-M27).
    /// - Throws: `ScriptFailure` for a change that statements cannot express.
    init(
        _ transition: SchemaTransition, present: [String: [DatabaseOutline.Column]], indexCount: ((String) -> Int)?,
        rebuilds: Bool = false, defers: Bool = false
    ) throws {
        self.transition = transition
        self.defers = defers
        let links = LinkTransition.moved(in: transition)
        moved = links.enumerated().map { MovedLink($1, transition, number: $0 + 1) }
        origins = try ColumnOrigins(transition, moved: links)
        var names = ScratchNames(present.keys)
        let planner = TablePlanner(
            transition: transition, present: present, indexCount: indexCount, origins: origins, rebuilds: rebuilds,
            defers: defers)
        tables = planner.plan(&names)
        var used: Set<String> = []
        joins = transition.destination.joinTables.map { JoinChange($0, transition, present, &names, used: &used) }
        for change in tables where change.way == .altered {
            guard let source = change.source else { continue }
            altered[source] = AlteredTable(change, source: source, defers: defers)
        }
    }

    // MARK: Parts, in the order of Migration-M20

    package var checks: [ScriptCheck] {
        get throws { try ScriptChecks(transition: transition, origins: origins).all }
    }

    /// Copies the moved links to temporary tables.
    package var collections: [ScriptStatement] { moved.map { ScriptStatement($0.collection) } }

    /// Fills the new tables.
    package var tableFillings: [ScriptStatement] {
        tables.filter { $0.way != .altered }.compactMap { RebuiltTable(change: $0).filling }
    }
    package var joinFillings: [ScriptStatement] { joins.flatMap(\.fillings).map { ScriptStatement($0) } }

    package var tableRenames: [ScriptStatement] { sorted.flatMap(\.renames).map { ScriptStatement($0) } }
    package var joinRenames: [ScriptStatement] { joins.flatMap(\.renames).map { ScriptStatement($0) } }
    package var alterations: [ScriptStatement] { sorted.flatMap(\.statements) }
    package var joinAlterations: [ScriptStatement] {
        joins.flatMap { $0.alterations(defers: defers) }.map { ScriptStatement($0) }
    }

    private var sorted: [AlteredTable] { altered.sorted { $0.key < $1.key }.map(\.value) }

    /// The tables of the source to drop.
    package var ended: [String] {
        let kept = Set(altered.keys).union(joins.compactMap(\.source?.name))
        return (transition.source.tables.map(\.name) + transition.source.joinTables.map(\.name)).filter {
            !kept.contains($0)
        }
    }

    package var finalNames: [ScriptStatement] {
        let dialect = transition.dialect
        let pairs = tables.map { ($0.workName, $0.table.name) } + joins.map { ($0.workName, $0.join.name) }
        return pairs.filter { $0 != $1 }.map {
            ScriptStatement("ALTER TABLE \(dialect.qualified($0)) RENAME TO \(dialect.quoted($1))")
        }
    }

    /// Removes the links of deleted rows.
    package var cleanups: [ScriptStatement] {
        (joins.flatMap { $0.cleanup(transition) } + oneWayCleanup).map { ScriptStatement($0) }
    }

    package var applications: [ScriptStatement] { moved.flatMap(\.application).map { ScriptStatement($0) } }

    /// Gives new order keys to members without one, for databases without a function that counts them.
    package var countedOrders: [ScriptStatement] {
        var known: Set<String> = []
        return origins.countedOrders.filter { known.insert("\($0.table.name).\($0.order)").inserted }.map {
            table, key, order in
            let dialect = transition.dialect
            let (own, column) = (dialect.names.key, dialect.quoted(order))
            return ScriptStatement(
                "UPDATE \(table.sql) AS T SET \(column) = S.N FROM (SELECT \(own) AS K, 1024 + 1024 * ROW_NUMBER() OVER "
                    + "(PARTITION BY \(dialect.quoted(key)) ORDER BY \(own)) AS N FROM \(table.sql) "
                    + "WHERE \(dialect.quoted(key)) IS NOT NULL) AS S WHERE T.\(own) = S.K AND T.\(column) IS NULL")
        }
    }

    // MARK: Queries

    /// The changed column names of a table or join table; nil if it does not keep its name.
    package func touched(_ name: String) -> Set<String>? {
        if let join = joins.first(where: { $0.source?.name == name }) {
            return join.workName == name ? join.touched : nil
        }
        guard let change = tables.first(where: { $0.source == name && $0.way == .altered }), change.workName == name
        else {
            return nil
        }
        return altered[name]?.touched
    }

    /// The tables of the destination with rows to write.
    package var written: [MigrationScript.WrittenTable] { tables.compactMap(written) }

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

    /// Keys of relationships without an inverse have no entity column, so those of deleted owners are found by a
    /// subquery.
    private var oneWayCleanup: [String] {
        transition.destination.entities.flatMap { mapping -> [String] in
            let parent =
                mapping.layout.superIndex >= 0 ? transition.destination.mapping(mapping.layout.superIndex) : nil
            return ((parent?.layout.slotCount ?? 0)..<mapping.layout.slotCount).compactMap { slot in
                guard case .toMany(.column(let key, _, let table)) = mapping.storage[slot],
                    let link = LinkTransition(mapping, slot, in: transition), link.inverse == nil,
                    link.sources.contains(where: { !transition.removed.isDisjoint(with: $0.targetsOfB) })
                else { return nil }
                let column = transition.dialect.quoted(key)
                return "UPDATE \(table.sql) SET \(column) = NULL WHERE \(column) NOT IN "
                    + "(SELECT \(transition.dialect.names.key) FROM \(mapping.table.sql))"
            }
        }
    }

    /// Recomputes the derived attributes that are new, have another derivation, or count members that may be deleted.
    ///
    /// - Parameters:
    ///   - losesRows: whether rows of some entity were deleted before the script (Migration-M28).
    ///   - now: the present moment.
    /// - Returns: the statements, and the root entities of the attributes that the store computes, by layout index.
    package func derived(losesRows: Bool, now: String) -> (statements: [ScriptStatement], computedRoots: Set<Int>) {
        var result: [String] = []
        var computedRoots: Set<Int> = []
        let mayLoseMembers = losesRows || !transition.removed.isEmpty
        // The update of the script runs without triggers.
        let writesRows = mayLoseMembers || !moved.isEmpty || !written.isEmpty
        for entity in transition.entities where !entity.destination.layout.isAbstract {
            let mapping = entity.destination
            for slot in mapping.layout.attributeSlots where mapping.layout[slot].isDerived {
                guard case .attribute(let column) = mapping.storage[slot],
                    let derivation = Derivation(mapping.layout, slot: slot, model: transition.destination.model)
                else { continue }
                let isNew = AttributeOrigin(entity, slot).isComputedAnew
                let name = transition.dialect.quoted(column.name)
                let head = "UPDATE \(mapping.table.sql) SET \(name) = "
                let tail =
                    " WHERE \(transition.destination.entity(of: mapping.table)) = "
                    + transition.destination.literal(mapping.number)
                switch derivation {
                case .now: if isNew { result.append("\(head)\(now)\(tail)") }
                case .count(let relationship):
                    guard isNew || mayLoseMembers || !moved.isEmpty else { continue }
                    if let count = count(mapping, relationship) { result.append(head + count + tail) }
                case .computed: if isNew || writesRows { computedRoots.insert(mapping.layout.rootIndex) }
                }
            }
        }
        return (result.map { ScriptStatement($0) }, computedRoots)
    }

    private func count(_ mapping: EntityMapping, _ relationship: Int) -> String? {
        guard case .toMany(let storage) = mapping.storage[relationship] else { return nil }
        let (many, key): (String, String)
        switch storage {
        case .column(let column, _, let table): (many, key) = (table.sql, transition.dialect.quoted(column))
        case .join(let join, let isOwner): (many, key) = (join.sql, join.column(of: isOwner))
        }
        return "(SELECT COUNT(*) FROM \(many) AS M WHERE M.\(key) = "
            + "\(mapping.table.sql).\(transition.dialect.names.key))"
    }
}
