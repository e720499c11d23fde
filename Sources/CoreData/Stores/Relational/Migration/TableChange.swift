// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides how one table changes: it is altered in place, rebuilt, or created.

import Foundation

/// A table of the destination, and the source table with its rows.
package struct TableChange {
    package enum Way: String {
        /// No rows of the source are moved to it.
        case created
        case altered
        /// Created under a free name and filled in one pass.
        case rebuilt
    }

    package let table: EntityTable
    package let way: Way
    /// nil for a created table.
    package let source: String?
    /// The columns of the source table in the file.
    let present: [DatabaseOutline.Column]
    let columns: [ColumnPlan]
    /// The entities with rows in the source table, without abstract ones.
    let entities: [EntityTransition]
    /// The numbers of entities with rows that leave the source table.
    let leaving: [Int64]
    /// The columns of each old entity, by number.
    let owned: [Int64: Set<String>]
    /// The name of the table until all old tables are dropped.
    package let workName: String
    let transition: SchemaTransition

    package var sourceTable: EntityTable? { transition.source.tables.first { $0.name == source } }

    /// The entity of a row according to the source table.
    var oldEntity: String { sourceTable.map(transition.source.entity) ?? "NULL" }

    /// The column of the source table with this number; nil for a table without one.
    package var oldEntityColumn: String? { sourceTable.flatMap { transition.dialect.entityColumn(of: $0.root) } }

    var renumbered: [EntityTransition] {
        entities.filter {
            transition.source.literal($0.oldNumber) != transition.destination.literal($0.newNumber)
        }
    }

    /// The entity number, for the destination, of a row of the source table.
    package var newEntity: String {
        guard !renumbered.isEmpty else { return oldEntity }
        if entities.count == 1, let only = entities.first { return transition.destination.literal(only.newNumber) }
        let cases = renumbered.map {
            " WHEN \(transition.source.literal($0.oldNumber)) THEN \(transition.destination.literal($0.newNumber))"
        }.joined()
        return "CASE \(oldEntity)\(cases) ELSE \(oldEntity) END"
    }
}

/// Decides how each table changes.
struct TablePlanner {
    let transition: SchemaTransition
    /// The columns of each table of the source.
    let present: [String: [DatabaseOutline.Column]]
    /// The number of a table's indexes; nil if the database can alter any table in place.
    let indexCount: ((String) -> Int)?
    let origins: ColumnOrigins
    /// Whether every table with rows is rebuilt, so that its columns have the order of a new store.
    let rebuilds: Bool
    /// Whether columns that the destination lacks are kept.
    let defers: Bool

    func plan(_ names: inout ScratchNames) -> [TableChange] {
        var altered: Set<String> = []
        return transition.destination.tables.map { table in
            let all = transition.entities(in: table)
            let entities = all.filter { !$0.destination.layout.isAbstract }
            guard let source = all.first?.source.table.name else {
                return TableChange(
                    table: table, way: .created, source: nil, present: [], columns: origins.columns(of: table),
                    entities: [], leaving: [], owned: [:], workName: names.claim(table.name), transition: transition)
            }
            // Abstract entities have no rows. Rows of entities that become abstract are found by a check.
            let leaving = transition.source.entities.filter { former in
                former.table.name == source && !former.layout.isAbstract
                    && transition.entity(old: former.number)?.destination.table !== table
            }.map(\.number)
            let columns = origins.columns(of: table)
            let present = present[source] ?? []
            let isMain = main(of: source) === table && altered.insert(source).inserted
            let isAltered = isMain && !mustRebuild(columns, present, source)
            let name = isAltered && source == table.name ? source : names.claim(table.name)
            return TableChange(
                table: table, way: isAltered ? .altered : .rebuilt, source: source, present: present, columns: columns,
                entities: entities, leaving: leaving, owned: transition.ownedColumns, workName: name,
                transition: transition)
        }
    }

    /// The table that reuses the file's table if the rows of a source table go to several: the one with most entities.
    private func main(of source: String) -> EntityTable? {
        var counts: [(table: EntityTable, count: Int)] = []
        for entity in transition.entities where entity.source.table.name == source {
            if let place = counts.firstIndex(where: { $0.table === entity.destination.table }) {
                counts[place].count += 1
            } else {
                counts.append((entity.destination.table, 1))
            }
        }
        return counts.max { $0.count < $1.count }?.table
    }

    /// A changed column type needs a new table. So do many removed columns: dropping one writes the whole table (0.42 s
    /// per million rows), rebuilding costs 0.9 s and 0.41 s for each index.
    private func mustRebuild(_ columns: [ColumnPlan], _ present: [DatabaseOutline.Column], _ source: String) -> Bool {
        if rebuilds { return true }
        guard let indexCount else { return false }
        let types = Dictionary(present.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
        for column in columns {
            for origin in column.origins.values {
                if let base = origin.base, let type = types[base], type != column.type { return true }
            }
        }
        guard SchemaNaming.reservedColumns.isSubset(of: types.keys) else { return true }
        if defers { return false }
        let bases = Set(columns.flatMap { $0.origins.values.compactMap(\.base) })
        let gone = present.filter { !bases.contains($0.name) && !SchemaNaming.reservedColumns.contains($0.name) }.count
        let indexes = indexCount(source)
        return Double(gone) * 0.42 > 0.9 + 0.41 * Double(indexes)
    }
}
