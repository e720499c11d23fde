// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deletes the rows of a batch request in waves of statements, and then ends the relationships to them.

import Foundation
import SQLiteDriver

/// # Order
/// 1. The rows asked for are deleted; the statement returns their keys, and the destinations of to-ones with a rule.
/// 2. What they cascade to is deleted likewise, wave by wave, one statement for each relationship.
/// 3. Deny and mandatory to-ones look at the rows that are left: one of them rolls everything back.
/// 4. To-ones of the rows that are left are nullified, rows of join tables and one-way links go.
struct BatchDeleter {
    private let transaction: BatchTransaction
    private let files: ExternalFiles?
    private var outcome = BatchOutcome()
    /// All deleted rows, by entity.
    private var gone: [Int: Group] = [:]
    private var touched: Set<Int> = []

    private var connection: Connection { transaction.connection }
    private var schema: Schema { transaction.schema }

    /// Deleted rows of one entity.
    private struct Group {
        var keys: [Int64] = []
        /// The destinations of to-ones, by slot.
        var destinations: [Int: [Int64]] = [:]
    }

    init(_ transaction: BatchTransaction, _ files: ExternalFiles?) {
        self.transaction = transaction
        self.files = files
    }

    mutating func run(_ deletion: BatchDeletion, _ report: inout BatchReport) throws -> BatchTransaction.Result {
        var wave: [Int: Group] = [:]
        switch deletion {
        case .matching(var fetch):
            fetch.result = .keys
            let builder = try SelectBuilder(
                schema: schema, fetch: fetch, excludesForeignRows: transaction.opened.plans.excludesForeignRows)
            guard builder.isComplete else {
                throw NotTranslatable(reason: "a condition that rows have to be asked for")
            }
            let target = builder.target
            let family = fetch.includesSubentities ? fetch.layout.familyIndexes : [fetch.layout.index]
            let rows = Rows(
                table: target.table, alias: target.alias, condition: target.condition,
                layouts: family.map { schema.model.layouts[$0] })
            if isPlain(rows.layouts, report) {
                outcome.count = try connection.run(rows.deletion.text, rows.deletion.values)
                return try finish(outcome.count > 0 ? [fetch.layout.rootIndex] : [])
            }
            Self.add(try delete(rows, &report), to: &wave)
        case .records(let references):
            let roots = Dictionary(grouping: references) { schema.model.layouts[$0.entityIndex].rootIndex }
            for (root, references) in roots.sorted(by: { $0.key < $1.key }) {
                let layouts = schema.model.layouts[root].familyIndexes.map { schema.model.layouts[$0] }
                guard let table = layouts.compactMap({ schema.mapping($0)?.table }).first else { continue }
                Self.add(
                    try delete(self.rows(of: table, "Z_PK", Set(references.map(\.key)).sorted()), &report), to: &wave)
            }
        }
        outcome.count = wave.values.reduce(0) { $0 + $1.keys.count }
        if transaction.batch.wantsIDs {
            for (index, group) in wave.sorted(by: { $0.key < $1.key }) {
                outcome.ids += group.keys.map { transaction.id(schema.model.layouts[index], $0) }
            }
        }
        while !wave.isEmpty {
            Self.add(wave, to: &gone)
            wave = try nextWave(wave, &report)
        }
        for (index, group) in gone.sorted(by: { $0.key < $1.key }) {
            try checkDenials(schema.model.layouts[index], group)
        }
        for (index, group) in gone.sorted(by: { $0.key < $1.key }) {
            try endRelationships(schema.model.layouts[index], group, &report)
        }
        touched.formUnion(gone.keys.map { schema.model.layouts[$0].rootIndex })
        return try finish(touched)
    }

    private func finish(_ roots: Set<Int>) throws -> BatchTransaction.Result {
        if roots.isEmpty { return (outcome, .nothing) }
        try transaction.updateDerived(roots)
        return (outcome, .everything)
    }

    private static func add(_ groups: [Int: Group], to all: inout [Int: Group]) {
        for (index, group) in groups {
            all[index, default: Group()].keys += group.keys
            for (slot, keys) in group.destinations {
                all[index, default: Group()].destinations[slot, default: []] += keys
            }
        }
    }

    // MARK: Deleting rows

    /// Rows of one table under a condition.
    private struct Rows {
        let table: String
        let alias: String?
        let condition: SQLText?
        let layouts: [EntityLayout]

        var tail: SQLText {
            SQLText(raw: " FROM \(table)") + (condition.map { SQLText(raw: " WHERE ") + $0 } ?? "")
        }
        var deletion: SQLText { SQLText(raw: "DELETE") + tail }
    }

    private func rows(of table: EntityTable, _ column: String, _ keys: [Int64]) -> Rows {
        let list = KeyList(keys)
        return Rows(
            table: table.sql, alias: nil, condition: SQLText("\(column) \(list.condition)", list.arguments),
            layouts: table.root.familyIndexes.map { schema.model.layouts[$0] })
    }

    /// Whether rows can go without a look at any of them.
    private func isPlain(_ layouts: [EntityLayout], _ report: BatchReport) -> Bool {
        !transaction.batch.wantsIDs && !report.isWanted
            && layouts.allSatisfy { layout in
                externalColumns(layout).isEmpty && layout.relationshipSlots.allSatisfy { !isConcerned(layout, $0) }
            }
    }

    /// Whether the end of a row has an effect through a relationship.
    private func isConcerned(_ layout: EntityLayout, _ slot: Int) -> Bool {
        switch schema.mapping(layout)?.storage[slot] {
        case .toMany(.join)?: return true
        case .toMany(.column)? where layout[slot].inverse < 0: return true
        case .toMany?, .toOne?: break
        default: return false
        }
        switch layout[slot].deleteRule {
        case .noActionDeleteRule: return false
        case .nullifyDeleteRule: return inverseColumns(layout, slot) != nil
        case .cascadeDeleteRule, .denyDeleteRule: return true
        }
    }

    private func externalColumns(_ layout: EntityLayout) -> [String] {
        guard files != nil, let mapping = schema.mapping(layout) else { return [] }
        return layout.attributeSlots.compactMap { slot in
            guard case .attribute(let column) = mapping.storage[slot], case .externalBinary = column.coding else {
                return nil
            }
            return SchemaNaming.quoted(column.name)
        }
    }

    /// The to-ones whose destinations are needed after the row is gone.
    private func followedColumns(_ layouts: [EntityLayout]) -> [FollowedColumn] {
        var result: [FollowedColumn] = []
        for layout in layouts {
            for slot in layout.toOneSlots {
                let rule = layout[slot].deleteRule
                guard rule == .cascadeDeleteRule || rule == .denyDeleteRule,
                    case .toOne(let columns)? = schema.mapping(layout)?.storage[slot]
                else { continue }
                result.append(
                    FollowedColumn(layout: layout.index, slot: slot, name: SchemaNaming.quoted(columns.key)))
            }
        }
        return result
    }

    private struct FollowedColumn {
        let layout: Int
        let slot: Int
        let name: String
    }

    private mutating func delete(_ rows: Rows, _ report: inout BatchReport) throws -> [Int: Group] {
        let followed = followedColumns(rows.layouts)
        let external = Array(Set(rows.layouts.flatMap(externalColumns))).sorted()
        let list = (["Z_PK", "Z_ENT"] + followed.map(\.name)).joined(separator: ", ")
        if external.isEmpty, !report.isWanted {
            return try collect(rows.deletion + SQLText(raw: " RETURNING \(list)"), followed, 0)
        }
        // Looked at before they go: the first 38 bytes identify a file.
        let columns = list + external.map { ", SUBSTR(\($0), 1, 38)" }.joined()
        let groups = try collect(SQLText(raw: "SELECT \(columns)") + rows.tail, followed, external.count)
        for (index, group) in groups {
            let layout = schema.model.layouts[index]
            try report.delete(layout, group.keys)
            let keys = KeyList(group.keys)
            guard let table = schema.mapping(layout)?.table else { continue }
            try connection.run("DELETE FROM \(table.sql) WHERE Z_PK \(keys.condition)", keys.arguments)
        }
        return groups
    }

    /// - Parameter fileCount: the number of columns with files, behind the others.
    private func collect(_ sql: SQLText, _ followed: [FollowedColumn], _ fileCount: Int) throws -> [Int: Group] {
        var groups: [Int: Group] = [:]
        var current = (number: Int64.min, index: -1)
        var keys: [Int64] = []
        func flush() {
            if current.index >= 0, !keys.isEmpty { groups[current.index, default: Group()].keys += keys }
            keys.removeAll(keepingCapacity: true)
        }
        try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values)
            while try statement.step() {
                let number = statement.int64(at: 1)
                if number != current.number {
                    flush()
                    current = (number, schema.layout(number: number)?.index ?? -1)
                }
                guard current.index >= 0 else { continue }
                keys.append(statement.int64(at: 0))
                for (position, column) in followed.enumerated() where column.layout == current.index {
                    if let key = statement.int64IfPresent(at: position + 2) {
                        groups[current.index, default: Group()].destinations[column.slot, default: []].append(key)
                    }
                }
                for position in 0..<fileCount {
                    files?.release(statement.value(at: followed.count + 2 + position).blobValue)
                }
            }
        }
        flush()
        return groups
    }

    // MARK: Cascades

    private mutating func nextWave(_ wave: [Int: Group], _ report: inout BatchReport) throws -> [Int: Group] {
        var next: [Int: Group] = [:]
        for (index, group) in wave.sorted(by: { $0.key < $1.key }) {
            let layout = schema.model.layouts[index]
            for slot in layout.relationshipSlots where layout[slot].deleteRule == .cascadeDeleteRule {
                guard let rows = destinations(layout, slot, group) else { continue }
                Self.add(try delete(rows, &report), to: &next)
            }
        }
        return next
    }

    /// The rows that a relationship of deleted rows leads to, as far as they are still there; nil for none.
    private func destinations(_ layout: EntityLayout, _ slot: Int, _ group: Group) -> Rows? {
        let destination = schema.model.layouts[Int(layout[slot].destination)]
        guard let table = schema.mapping(destination)?.table else { return nil }
        switch schema.mapping(layout)?.storage[slot] {
        case .toOne?:
            let keys = Set(group.destinations[slot] ?? []).sorted()
            return keys.isEmpty ? nil : rows(of: table, "Z_PK", keys)
        case .toMany(.column(let column, _, let table))?:
            return rows(of: table, SchemaNaming.quoted(column), group.keys)
        case .toMany(.join(let join, let isOwner))?:
            let list = KeyList(group.keys)
            var text =
                "Z_PK IN (SELECT \(join.column(of: !isOwner)) FROM \(join.sql) WHERE \(join.column(of: isOwner)) "
                + "\(list.condition))"
            var arguments = list.arguments
            if join.isReflexive {
                text +=
                    " OR Z_PK IN (SELECT \(join.column(of: isOwner)) FROM \(join.sql) WHERE "
                    + "\(join.column(of: !isOwner)) \(list.condition))"
                arguments += list.arguments
            }
            return Rows(
                table: table.sql, alias: nil, condition: SQLText(text, arguments),
                layouts: table.root.familyIndexes.map { schema.model.layouts[$0] })
        default: return nil
        }
    }

    // MARK: Relationships of rows that stay

    /// The columns of a to-one inverse in the table of the destination.
    private func inverseColumns(_ layout: EntityLayout, _ slot: Int) -> (
        table: EntityTable, layout: EntityLayout, columns: ToOneColumns
    )? {
        let place = layout[slot]
        guard place.inverse >= 0 else { return nil }
        let destination = schema.model.layouts[Int(place.destination)]
        guard let mapping = schema.mapping(destination), case .toOne(let columns) = mapping.storage[Int(place.inverse)]
        else { return nil }
        return (mapping.table, destination, columns)
    }

    private func checkDenials(_ layout: EntityLayout, _ group: Group) throws {
        for slot in layout.relationshipSlots where layout[slot].deleteRule == .denyDeleteRule {
            guard let rows = destinations(layout, slot, group) else { continue }
            let sql = SQLText(raw: "SELECT 1") + rows.tail + SQLText(raw: " LIMIT 1")
            guard try connection.value(sql.text, sql.values) != nil else { continue }
            throw CoreDataError.validation(
                .validationRelationshipDeniedDelete, object: nil, entity: layout.entity,
                key: layout.properties[slot].name)
        }
    }

    private mutating func endRelationships(_ layout: EntityLayout, _ group: Group, _ report: inout BatchReport) throws {
        let list = KeyList(group.keys)
        for slot in layout.relationshipSlots {
            if layout[slot].deleteRule == .nullifyDeleteRule, let inverse = inverseColumns(layout, slot) {
                try nullify(Int(layout[slot].inverse), inverse, list, &report)
            }
            guard case .toMany(let storage)? = schema.mapping(layout)?.storage[slot] else { continue }
            switch storage {
            case .join(let join, let isOwner):
                for end in join.isReflexive ? [isOwner, !isOwner] : [isOwner] {
                    try connection.run(
                        "DELETE FROM \(join.sql) WHERE \(join.column(of: end)) \(list.condition)", list.arguments)
                }
            case .column(let name, _, let table):
                guard layout[slot].inverse < 0 else { continue }
                let column = SchemaNaming.quoted(name)
                try connection.run(
                    "UPDATE \(table.sql) SET \(column) = NULL WHERE \(column) \(list.condition)", list.arguments)
            }
        }
    }

    private mutating func nullify(
        _ slot: Int, _ end: (table: EntityTable, layout: EntityLayout, columns: ToOneColumns), _ list: KeyList,
        _ report: inout BatchReport
    ) throws {
        let column = SchemaNaming.quoted(end.columns.key)
        let condition = "\(column) \(list.condition)"
        guard end.layout.properties[slot].isOptional else {
            let row = try connection.value("SELECT 1 FROM \(end.table.sql) WHERE \(condition) LIMIT 1", list.arguments)
            guard row == nil else {
                throw CoreDataError.validation(
                    .validationMissingMandatoryProperty, object: nil, entity: end.layout.entity,
                    key: end.layout.properties[slot].name)
            }
            return
        }
        let entity = end.columns.entity.map { "\(SchemaNaming.quoted($0)) = NULL, " } ?? ""
        let update =
            "UPDATE \(end.table.sql) SET \(column) = NULL, \(entity)Z_OPT = Z_OPT + \(RowVersion.step) WHERE \(condition)"
        guard report.isWanted else {
            if try connection.run(update, list.arguments) > 0 { touched.insert(end.layout.rootIndex) }
            return
        }
        var slots = SlotSet()
        slots.insert(slot)
        for row in try connection.rows(update + " RETURNING Z_PK, Z_ENT", list.arguments) {
            guard let key = row[0].integerValue, let number = row[1].integerValue,
                let layout = schema.layout(number: number)
            else { continue }
            touched.insert(layout.rootIndex)
            report.update(layout, key, slots)
        }
    }
}
