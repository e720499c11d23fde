// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deletes selected rows of one table, and collects the keys that are needed afterwards.

import SQLiteDriver

/// Deletes rows for a batch deletion, which selects them.
struct RowDeletion {
    private let transaction: BatchTransaction
    /// nil if no attribute is stored in external files.
    private let files: ExternalFiles?

    private var connection: Connection { transaction.connection }
    private var schema: Schema { transaction.schema }

    init(_ transaction: BatchTransaction, _ files: ExternalFiles?) {
        self.transaction = transaction
        self.files = files
    }

    func run(_ rows: RowSelection, _ report: inout BatchReport) throws -> DeletedRows {
        let followed = followedColumns(rows.layouts)
        let external = Array(Set(rows.layouts.flatMap(externalColumns))).sorted()
        let list = (["Z_PK", "Z_ENT"] + followed.map(\.name)).joined(separator: ", ")
        if external.isEmpty, !report.isWanted {
            return try collect(rows.deletion + SQLText(raw: " RETURNING \(list)"), followed, 0)
        }
        // Read before the deletion: the first 38 bytes identify a file.
        let columns = list + external.map { ", SUBSTR(\($0), 1, 38)" }.joined()
        let found = try collect(SQLText(raw: "SELECT \(columns)") + rows.tail, followed, external.count)
        for (index, group) in found.sorted {
            let layout = schema.model.layouts[index]
            try report.delete(layout, group.keys)
            let keys = KeyList(group.keys)
            guard let table = schema.mapping(layout)?.table else { continue }
            try connection.run("DELETE FROM \(table.sql) WHERE Z_PK \(keys.condition)", keys.arguments)
        }
        return found
    }

    // MARK: Rows without effects

    /// Whether rows can be deleted without reading any of them.
    func isPlain(_ layouts: [EntityLayout], _ report: BatchReport) -> Bool {
        !transaction.batch.wantsIDs && !report.isWanted
            && layouts.allSatisfy { layout in
                externalColumns(layout).isEmpty && layout.relationshipSlots.allSatisfy { !isConcerned(layout, $0) }
            }
    }

    /// Whether deleting a row has an effect through a relationship.
    private func isConcerned(_ layout: EntityLayout, _ slot: Int) -> Bool {
        switch schema.mapping(layout)?.storage[slot] {
        case .toMany(.join)?: return true
        case .toMany(.column)? where layout[slot].inverse < 0: return true
        case .toMany?, .toOne?: break
        default: return false
        }
        switch layout[slot].deleteRule {
        case .noActionDeleteRule: return false
        case .nullifyDeleteRule: return schema.inverseEnd(of: slot, layout) != nil
        case .cascadeDeleteRule, .denyDeleteRule: return true
        }
    }

    // MARK: Columns

    private struct FollowedColumn {
        let layout: Int
        let slot: Int
        let name: String
    }

    /// The to-ones with destinations that are needed after the deletion.
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

    private func externalColumns(_ layout: EntityLayout) -> [String] {
        guard files != nil, let mapping = schema.mapping(layout) else { return [] }
        return layout.attributeSlots.compactMap { slot in
            guard case .attribute(let column) = mapping.storage[slot], case .externalBinary = column.coding else {
                return nil
            }
            return SchemaNaming.quoted(column.name)
        }
    }

    // MARK: Collecting

    /// - Parameter fileCount: the number of file columns, which come last.
    private func collect(_ sql: SQLText, _ followed: [FollowedColumn], _ fileCount: Int) throws -> DeletedRows {
        var found = DeletedRows()
        var current = (number: Int64.min, index: -1)
        var keys: [Int64] = []
        func flush() {
            if current.index >= 0, !keys.isEmpty { found.add(keys, of: current.index) }
            keys.removeAll(keepingCapacity: true)
        }
        try connection.withStatement(sql.text) { statement in
            try statement.bind(sql.values.map(\.sqlite))
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
                        found.add(destination: key, of: current.index, slot: column.slot)
                    }
                }
                for position in 0..<fileCount {
                    files?.release(statement.value(at: followed.count + 2 + position).blobValue)
                }
            }
        }
        flush()
        return found
    }
}
