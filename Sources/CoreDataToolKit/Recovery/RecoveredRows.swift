// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which table a recovered row belongs to, and inserts it into the new store.

import CoreData
import Foundation
import SQLiteDriver

/// The rows of a recovery on their way into the new store.
struct RecoveredRows {
    struct Count {
        var rows = 0
        var unreached = 0
    }

    /// A column of the new table.
    private struct Column {
        let sql: String
        /// Whether the column is the row's key, which is stored outside of the record.
        let isKey: Bool
        /// Whether the values are numbers of entities.
        let isEntityNumber: Bool

        init(_ name: String, ofEntity isEntity: Bool) {
            sql = name.sqlName
            isKey = isEntity && name == "Z_PK"
            isEntityNumber = isEntity && (name == "Z_ENT" || name.wholeMatch(of: /Z[0-9]+_.+/) != nil)
        }
    }

    /// The columns of the new table in the order of the old one; nil for one that the new table lacks.
    private typealias Source = [Column?]

    /// The columns of an inserted row; most rows of a table have the same.
    private struct Shape: Hashable {
        let table: String
        let columns: [Int]
    }

    private let connection: Connection
    private let tables: StoreTables
    /// The numbers of entities in the new store, by those in the old one.
    private var numbers: [Int64: Int64] = [:]
    private var sources: [String: Source] = [:]
    /// The columns of each table of the new store.
    private let wanted: [String: [String]]
    /// The tables of concrete entities, by number in the new store.
    private let tableOfEntity: [Int64: String]
    private let entityTables: Set<String>
    private let joins: Set<String>
    private var insertions: [Shape: String] = [:]
    private(set) var counts: [String: Count] = [:]
    private(set) var conflicts = 0
    private(set) var cutRows = 0
    private(set) var unknownRows = 0

    /// - Parameter listed: the names of the old store's entities by number, as far as they could be read.
    init(_ connection: Connection, _ tables: StoreTables, listed: [Int64: String]) throws {
        self.connection = connection
        self.tables = tables
        var wanted: [String: [String]] = [:]
        for name in Set(tables.entities.map(\.table)).union(tables.joins.map(\.name)) {
            wanted[name] = try connection.columns(of: name).map(\.name)
        }
        self.wanted = wanted
        tableOfEntity = Dictionary(
            tables.entities.filter { !$0.isAbstract }.map { ($0.number, $0.table) },
            uniquingKeysWith: { first, _ in first })
        entityTables = Set(tables.entities.map(\.table))
        joins = Set(tables.joins.map(\.name))
        for (number, name) in listed {
            if let entity = tables.entity(name) { numbers[number] = entity.number }
        }
        // Without a list, entities have the numbers of a new store.
        for entity in tables.entities where !numbers.values.contains(entity.number) && numbers[entity.number] == nil {
            numbers[entity.number] = entity.number
        }
        for (name, columns) in wanted {
            sources[name] = columns.map { Column($0, ofEntity: entityTables.contains(name)) }
        }
    }

    func isWanted(_ table: String) -> Bool { wanted[table] != nil }

    /// The columns of a table in the old file, in its order.
    mutating func add(_ table: String, columns: [String]) {
        guard let new = wanted[table] else { return }
        let plain = Dictionary(new.map { (Self.withoutNumber($0), $0) }, uniquingKeysWith: { first, _ in first })
        sources[table] = columns.map { name in
            let name = new.contains(name) ? name : plain[Self.withoutNumber(name)]
            return name.map { Column($0, ofEntity: entityTables.contains(table)) }
        }
    }

    /// Columns with the number of an entity have another name if entities are numbered in another way: Z34_ASSET.
    private static func withoutNumber(_ name: String) -> String {
        guard let match = name.wholeMatch(of: /(Z_?)[0-9]+(_?.*)/) else { return name }
        return "\(match.output.1)#\(match.output.2)"
    }

    /// - Parameter table: the table with the row in its tree; nil for a row of an unreached page.
    mutating func insert(_ row: TablePage.Row, from table: String?) throws {
        guard let name = place(of: row, table), let source = sources[name] else {
            unknownRows += 1
            return
        }
        var (columns, values): ([Int], [SQLiteValue]) = ([], [])
        var isCut = false
        for (position, value) in row.values.enumerated() {
            guard position < source.count, let column = source[position] else { continue }
            guard let value else {
                isCut = true
                continue
            }
            columns.append(position)
            if column.isKey {
                values.append(.integer(row.key))
            } else if column.isEntityNumber, case .integer(let number) = value {
                values.append(.integer(numbers[number] ?? number))
            } else {
                values.append(value)
            }
        }
        if isCut { cutRows += 1 }
        let changed = try connection.run(insertion(Shape(table: name, columns: columns), source), values)
        guard changed > 0 else {
            conflicts += 1
            return
        }
        counts[name, default: Count()].rows += 1
        if table != name { counts[name, default: Count()].unreached += 1 }
    }

    private mutating func insertion(_ shape: Shape, _ source: Source) -> String {
        if let known = insertions[shape] { return known }
        let columns = shape.columns.compactMap { source[$0]?.sql }
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let text =
            "INSERT OR IGNORE INTO \(shape.table.sqlName) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
        insertions[shape] = text
        return text
    }

    /// The table that a row belongs to: by its entity number, or else by the tree that contains it.
    private func place(of row: TablePage.Row, _ table: String?) -> String? {
        if row.values.count >= 3, row.key > 0, let number = entityNumber(row), let name = tableOfEntity[number],
            row.values.count <= (sources[name]?.count ?? 0)
        {
            return name
        }
        let isLink =
            row.values.count <= 4 && row.values.count >= 2
            && row.values.allSatisfy { value in
                if case .integer? = value { true } else { value == .some(.null) }
            }
        guard isLink else { return nil }
        if let table, joins.contains(table), row.values.count <= (sources[table]?.count ?? 0) { return table }
        let fitting = joins.filter { sources[$0]?.count == row.values.count }
        // A row of a join table does not identify its table: if several fit, it is lost.
        return table == nil && fitting.count == 1 ? fitting.first : nil
    }

    private func entityNumber(_ row: TablePage.Row) -> Int64? {
        // Z_PK is stored outside of the record; the oldest stores have Z_ENT before it.
        for position in [1, 0] {
            guard position < row.values.count, case .integer(let number)? = row.values[position],
                let known = numbers[number], tableOfEntity[known] != nil
            else { continue }
            if position == 1, case .null? = row.values[0] { return known }
            if position == 0, case .null? = row.values[1] { return known }
        }
        return nil
    }
}
