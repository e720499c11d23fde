// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which table a recovered row belongs to, and inserts it into the new store.

import CoreData
import Foundation
import SQLiteDriver

/// The rows of a recovery on their way into the new store.
struct RecoveredRows {
    struct Count {
        var rows = 0
        var stray = 0
    }

    private struct Source {
        /// The column of the new table for each column of the old one; nil for one that the new table lacks.
        let columns: [String?]
    }

    private let connection: Connection
    private let tables: StoreTables
    /// The numbers of entities in the new store, by those in the old one.
    private var numbers: [Int64: Int64] = [:]
    private var sources: [String: Source] = [:]
    /// The columns of each table of the new store.
    private let wanted: [String: [String]]
    /// The tables of entities, by number in the new store.
    private let tableOfEntity: [Int64: String]
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
            tables.entities.map { ($0.number, $0.table) }, uniquingKeysWith: { first, _ in first })
        for (number, name) in listed {
            if let entity = tables.entity(name) { numbers[number] = entity.number }
        }
        // Without a list the numbers are those of a new store.
        for entity in tables.entities where !numbers.values.contains(entity.number) && numbers[entity.number] == nil {
            numbers[entity.number] = entity.number
        }
        for (name, columns) in wanted { sources[name] = Source(columns: columns) }
    }

    func isWanted(_ table: String) -> Bool { wanted[table] != nil }

    /// The columns of a table in the old file, in its order.
    mutating func add(_ table: String, columns: [String]) {
        guard let new = wanted[table] else { return }
        let plain = Dictionary(new.map { (Self.withoutNumber($0), $0) }, uniquingKeysWith: { first, _ in first })
        sources[table] = Source(
            columns: columns.map { new.contains($0) ? $0 : plain[Self.withoutNumber($0)] })
    }

    /// Columns with the number of an entity have another name where entities are numbered otherwise: Z34_ASSET.
    private static func withoutNumber(_ name: String) -> String {
        guard let match = name.wholeMatch(of: /(Z_?)[0-9]+(_?.*)/) else { return name }
        return "\(match.output.1)#\(match.output.2)"
    }

    /// - Parameter table: the table with the row in its tree; nil for a row of a stray page.
    mutating func insert(_ row: TablePage.Row, from table: String?) throws {
        guard let name = place(of: row, table), let source = sources[name] else {
            unknownRows += 1
            return
        }
        var (columns, values): ([String], [SQLiteValue]) = ([], [])
        let isEntity = name.hasPrefix("Z") && tableOfEntity.values.contains(name)
        var isCut = false
        for (position, value) in row.values.enumerated() {
            guard position < source.columns.count, let column = source.columns[position] else { continue }
            guard let value else {
                isCut = true
                continue
            }
            columns.append(column.sqlName)
            // The key of a row stands beside its record.
            if isEntity, column == "Z_PK" {
                values.append(.integer(row.key))
            } else if case .integer(let number) = value, isEntity,
                column == "Z_ENT" || column.wholeMatch(of: /Z[0-9]+_.+/) != nil
            {
                values.append(.integer(numbers[number] ?? number))
            } else {
                values.append(value)
            }
        }
        if isCut { cutRows += 1 }
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let changed = try connection.run(
            "INSERT OR IGNORE INTO \(name.sqlName) (\(columns.joined(separator: ", "))) VALUES (\(marks))", values)
        guard changed > 0 else {
            conflicts += 1
            return
        }
        counts[name, default: Count()].rows += 1
        if table != name { counts[name, default: Count()].stray += 1 }
    }

    /// The table that a row belongs to: by its entity number, or else the one whose tree it is in.
    private func place(of row: TablePage.Row, _ table: String?) -> String? {
        if row.values.count >= 3, row.key > 0, let number = entityNumber(row), let name = tableOfEntity[number],
            row.values.count <= (sources[name]?.columns.count ?? 0)
        {
            return name
        }
        let isLink =
            row.values.count <= 4 && row.values.count >= 2
            && row.values.allSatisfy { value in
                if case .integer? = value { true } else { value == .some(.null) }
            }
        guard isLink else { return nil }
        if let table, isJoin(table), row.values.count <= (sources[table]?.columns.count ?? 0) { return table }
        let fitting = tables.joins.map(\.name).filter { sources[$0]?.columns.count == row.values.count }
        // A link says nothing of its table: where several fit, it is lost.
        return table == nil && fitting.count == 1 ? fitting[0] : nil
    }

    private func isJoin(_ table: String) -> Bool { tables.joins.contains { $0.name == table } }

    private func entityNumber(_ row: TablePage.Row) -> Int64? {
        // Z_PK stands beside the record; the oldest stores have Z_ENT before it.
        for position in [1, 0] {
            guard position < row.values.count, case .integer(let number)? = row.values[position],
                let known = numbers[number], tables.entity(number: known)?.isAbstract == false
            else { continue }
            if position == 1, case .null? = row.values[0] { return known }
            if position == 0, case .null? = row.values[1] { return known }
        }
        return nil
    }
}
