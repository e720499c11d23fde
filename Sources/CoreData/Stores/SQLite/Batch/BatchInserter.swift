// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the rows of a batch insertion as they arrive, many with one statement, in bounded memory.

import Foundation
import SQLiteDriver

struct BatchInserter {
    /// Reserves keys in growing blocks: a few records use a few keys, many records need only a few statements.
    private static let (firstKeys, mostKeys) = (256, 65_536)

    private let transaction: BatchTransaction
    private let insertion: BatchInsertion
    private let statement: InsertStatement
    private let mapping: EntityMapping
    private let binder: RowBinder
    private let many: Int
    private let ordered: [OrderedEnd]
    private var destinations: DestinationCheck
    private var nextKey: Int64 = 0
    private var endOfKeys: Int64 = 0
    private var reserved = 0
    private var outcome = BatchOutcome()
    private var changesRecords = false
    private var lastText: (rows: Int, given: SlotSet?, text: String)?
    /// Removed from a table that was empty, to be made of all rows. Saving-I3.
    private var indexes: TableIndexes?

    private var connection: Connection { transaction.connection }

    /// A to-one with an ordered inverse: new rows go to the end.
    private struct OrderedEnd {
        let slot: Int
        let owner: String
        let order: String
        /// The last order keys by owner.
        var last: [Int64: Int64] = [:]
    }

    /// - Parameter statement: the statement of the same insertion.
    init(
        _ transaction: BatchTransaction, _ insertion: BatchInsertion, _ statement: InsertStatement,
        _ files: ExternalFiles?
    ) {
        self.transaction = transaction
        self.insertion = insertion
        self.statement = statement
        let schema = transaction.schema
        guard let mapping = schema.mapping(insertion.layout) else {
            preconditionFailure("A statement was made for an entity that the store does not hold.")
        }
        self.mapping = mapping
        binder = RowBinder(plan: statement.plan, schema: schema, files: files, permanentKeys: AssignedKeys())
        many = max(
            1, min(OperationBatcher.rowsPerInsert, transaction.connection.maximumParameterCount / statement.width))
        destinations = DestinationCheck(insertion.layout, insertion.layout.toOneSlots, schema)
        ordered = insertion.layout.toOneSlots.compactMap { slot -> OrderedEnd? in
            let place = insertion.layout[slot]
            guard place.inverse >= 0,
                case .toMany(.column(let owner, let order?, _)) =
                    schema.mapping(Int(place.destination))?.storage[Int(place.inverse)]
            else { return nil }
            return OrderedEnd(slot: slot, owner: SchemaNaming.quoted(owner), order: SchemaNaming.quoted(order))
        }
    }

    mutating func run(_ report: inout BatchReport) throws -> BatchResult {
        var ordered = ordered
        var rows: [BatchInsertion.Row] = []
        rows.reserveCapacity(many)
        while let row = try insertion.next() {
            if statement.tellsGiven, let first = rows.first, first.given != row.given {
                try write(rows, &report, &ordered)
                rows.removeAll(keepingCapacity: true)
            }
            rows.append(row)
            if rows.count == many {
                try write(rows, &report, &ordered)
                rows.removeAll(keepingCapacity: true)
                if !statement.mayUpdate { try report.writeInsertions() }
            }
        }
        try write(rows, &report, &ordered)
        try indexes?.make(on: connection)
        try giveBackKeys()
        if outcome.count > 0 { try transaction.updateDerived([insertion.layout.rootIndex]) }
        let isStale = changesRecords || transaction.hasDerivedAttributes
        return (outcome, outcome.count > 0 && isStale ? .everything : .nothing)
    }

    private mutating func write(
        _ rows: [BatchInsertion.Row], _ report: inout BatchReport, _ ordered: inout [OrderedEnd]
    ) throws {
        if rows.isEmpty { return }
        if insertion.mayHaveReferences { try destinations.check(rows.lazy.map(\.snapshot), on: connection) }
        let first = try keys(rows.count)
        let returnsKeys =
            (statement.mayUpdate || statement.mayLeaveOut) && (transaction.batch.wantsIDs || report.isWanted)
        let text = text(rows.count, rows[0].given, returnsKeys)
        var written: [(key: Int64, entity: Int64)] = []
        let changes = try connection.withStatement(text) { prepared in
            for (offset, row) in rows.enumerated() {
                let start = offset * statement.width + 1
                try prepared.bind(first + Int64(offset), at: start)
                try prepared.bind(mapping.number, at: start + 1)
                try prepared.bind(1 as Int64, at: start + 2)
                try binder.bind(row.snapshot, to: prepared, first: start + 3)
            }
            while try prepared.step() { written.append((prepared.int64(at: 0), prepared.int64(at: 1))) }
            return connection.changes
        }
        outcome.count += changes
        if statement.mayUpdate { changesRecords = true }
        if !returnsKeys {
            for offset in 0..<Int64(rows.count) where transaction.batch.wantsIDs || report.isWanted {
                note(first + offset, insertion.layout, isNew: true, nil, &report)
            }
        }
        for row in written {
            guard let layout = transaction.schema.layout(number: row.entity) else { continue }
            note(row.key, layout, isNew: row.key >= first, rows[0].given, &report)
        }
        for position in ordered.indices { try append(rows, first, &ordered[position]) }
        // Once, and not where the last member of an owner is found by an index.
        if ordered.isEmpty, outcome.count >= TableIndexes.leastInsertions,
            outcome.count - changes < TableIndexes.leastInsertions
        {
            indexes = try TableIndexes.removed(
                from: mapping.table.name, inserting: outcome.count, upTo: nextKey - 1, on: connection)
        }
    }

    /// Built once for a run of rows with the same given slots.
    private mutating func text(_ rows: Int, _ given: SlotSet?, _ returnsKeys: Bool) -> String {
        if let lastText, lastText.rows == rows, !statement.tellsGiven || lastText.given == given {
            return lastText.text
        }
        let text = statement.text(rows: rows, given: given, returnsKeys: returnsKeys)
        lastText = (rows, given, text)
        return text
    }

    private mutating func note(
        _ key: Int64, _ layout: EntityLayout, isNew: Bool, _ given: SlotSet?, _ report: inout BatchReport
    ) {
        if transaction.batch.wantsIDs { outcome.ids.append(transaction.id(layout, key)) }
        guard report.isWanted else { return }
        if isNew {
            report.insert(layout, key)
        } else {
            var slots = SlotSet()
            for slot in layout.attributeSlots where given?.contains(slot) ?? true { slots.insert(slot) }
            report.update(layout, key, slots)
        }
    }

    // MARK: Keys

    private mutating func keys(_ count: Int) throws -> Int64 {
        if endOfKeys - nextKey < Int64(count) {
            // The rest of a block is discarded, because its rows would not be consecutive.
            let block = max(min(max(reserved, Self.firstKeys), Self.mostKeys), count)
            let root = transaction.schema.model.layouts[insertion.layout.rootIndex]
            let number = transaction.schema.mapping(root)?.number ?? mapping.number
            nextKey = try PrimaryKeys.reserve(block, table: mapping.table, root: number, on: connection)
            endOfKeys = nextKey + Int64(block)
            reserved += block
        }
        defer { nextKey += Int64(count) }
        return nextKey
    }

    /// Returns the unused keys; no other reader has seen them.
    private func giveBackKeys() throws {
        guard endOfKeys > nextKey else { return }
        let root = transaction.schema.model.layouts[insertion.layout.rootIndex]
        let number = transaction.schema.mapping(root)?.number ?? mapping.number
        try connection.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?",
            [.integer(nextKey - 1), .integer(number), .integer(endOfKeys - 1)])
    }

    // MARK: Orders

    private func append(_ rows: [BatchInsertion.Row], _ first: Int64, _ end: inout OrderedEnd) throws {
        let owners = Set(rows.compactMap { $0.snapshot.reference(end.slot)?.key }).filter { end.last[$0] == nil }
        let table = mapping.table.sql
        if !owners.isEmpty {
            // Bounds the memory: the keys of forgotten owners are read again.
            if end.last.count > 10_000 { end.last = [:] }
            let all = Set(rows.compactMap { $0.snapshot.reference(end.slot)?.key }).filter { end.last[$0] == nil }
            for owner in all { end.last[owner] = OrderKeys.first - OrderKeys.step }
            let list = KeyList(all.sorted())
            let found = try connection.rows(
                "SELECT \(end.owner), MAX(\(end.order)) FROM \(table) WHERE \(end.owner) \(list.condition) GROUP BY \(end.owner)",
                list.arguments)
            for row in found {
                if let owner = row[0].integerValue, let last = row[1].integerValue { end.last[owner] = last }
            }
        }
        try connection.withStatement("UPDATE \(table) SET \(end.order) = ? WHERE Z_PK = ? AND \(end.owner) = ?") {
            statement in
            for (offset, row) in rows.enumerated() {
                guard let owner = row.snapshot.reference(end.slot)?.key, let last = end.last[owner] else { continue }
                end.last[owner] = last + OrderKeys.step
                try statement.bind(last + OrderKeys.step, at: 1)
                try statement.bind(first + Int64(offset), at: 2)
                try statement.bind(owner, at: 3)
                _ = try statement.step()
                statement.reset()
            }
        }
    }
}
