// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures the space that entities, attributes, indexes and all other parts take in a SQLite store.

import CoreData
import CoreDataModelFiles
package import Foundation
package import SQLiteDriver

/// The sizes of a SQLite store's parts, in bytes.
package struct StoreStatistics: Sendable, Equatable {
    package struct Entity: Sendable, Equatable {
        package let name: String
        /// Subentities share the table of their root entity.
        package let table: String
        package let isRoot: Bool
        package let objects: Int
        /// The values of its objects, without the overhead of rows and pages.
        package let valueBytes: Int
        /// The files of large data.
        package let fileBytes: Int
        /// The pages of the table; nil for a subentity, and if SQLite cannot count pages.
        package let tableBytes: Int?
        /// The pages of all indexes of the table; nil as for the table.
        package let indexBytes: Int?
    }

    package struct Attribute: Sendable, Equatable {
        package let entity: String
        package let name: String
        /// The number of objects that have a value.
        package let values: Int
        package let bytes: Int
        package let files: Int
        package let fileBytes: Int
    }

    package struct Index: Sendable, Equatable {
        package let name: String
        package let table: String
        package let bytes: Int
    }

    /// A table without an entity: links, history, metadata, other frameworks.
    package struct Table: Sendable, Equatable {
        package let name: String
        package let rows: Int
        package let bytes: Int
    }

    /// The pages of one table or index.
    package struct PageUse: Sendable, Equatable {
        package let name: String
        package let table: String
        package let bytes: Int
        /// The unused bytes of its pages.
        package let unusedBytes: Int
    }

    package let databaseBytes: Int
    package let logBytes: Int
    package let largeDataBytes: Int
    package let pageSize: Int
    package let pages: Int
    package let freePages: Int
    /// By size of the table and its files, the largest first.
    package let entities: [Entity]
    package let attributes: [Attribute]
    package let indexes: [Index]
    package let tables: [Table]
    /// nil for a store without a history.
    package let historyTransactions: Int?

    /// - Parameter step: called with the name of each table as it is read.
    /// - Throws: `ToolError` for a file that is no SQLite store of Core Data, or lacks tables of its model.
    /// - Complexity: reads every page once to count it, and every table once for the lengths of values.
    package init(
        of url: URL, model: URL? = nil, version: String? = nil, inference: ModelInference? = nil,
        step: (String) -> Void = { _ in }
    ) throws {
        guard try FileKind(of: url) == .sqlite else {
            throw ToolError("\(url.path) is no SQLite store: only those have tables to measure.")
        }
        let store = try ExaminedStore(url, model: model, version: version, inference: inference)
        let connection = store.connection
        guard let layout = store.tables else {
            throw ToolError(
                store.document == nil && store.inferred == nil
                    ? "\(url.path) keeps no model: give one with --model, or take the one inferred from its tables "
                        + "with --infer."
                    : "\(url.path) lacks parts of its model: \(store.missing.list). `doctor` says more.")
        }
        pageSize = try connection.pageSize()
        pages = Int(try connection.pragma("page_count")?.integerValue ?? 0)
        freePages = Int(try connection.pragma("freelist_count")?.integerValue ?? 0)
        databaseBytes = ReadLocation.size(store.location.url.path)
        logBytes = ReadLocation.size(store.location.url.path + "-wal")
        step("pages")
        let use = try Self.pageUse(connection)
        let measure = try ValueMeasure(store, layout, step: step)
        largeDataBytes = measure.fileBytes
        attributes = measure.attributes.sorted {
            ($0.bytes + $0.fileBytes, $1.entity, $1.name) > ($1.bytes + $1.fileBytes, $0.entity, $0.name)
        }
        entities = layout.entities.filter { !$0.isAbstract || $0.isRoot }.map { entity in
            let own = use.filter { $0.table == entity.table }
            let hasPages = entity.isRoot && !use.isEmpty
            return Entity(
                name: entity.name, table: entity.table, isRoot: entity.isRoot,
                objects: measure.objects[entity.number] ?? 0, valueBytes: measure.bytes[entity.number] ?? 0,
                fileBytes: measure.files[entity.number] ?? 0,
                tableBytes: hasPages ? own.filter { $0.name == entity.table }.reduce(0) { $0 + $1.bytes } : nil,
                indexBytes: hasPages ? own.filter { $0.name != entity.table }.reduce(0) { $0 + $1.bytes } : nil)
        }.sorted { ($0.size, $1.name) > ($1.size, $0.name) }
        let entityTables = Set(layout.entities.map(\.table))
        indexes = use.filter { $0.name != $0.table }
            .map { Index(name: $0.name, table: $0.table, bytes: $0.bytes) }
            .sorted { ($0.bytes, $1.name) > ($1.bytes, $0.name) }
        tables = try use.filter { $0.name == $0.table && !entityTables.contains($0.name) }
            .map { part in
                let isCounted = !part.name.hasPrefix("sqlite_") || part.name == "sqlite_master"
                return Table(
                    name: part.name,
                    rows: isCounted ? try store.count("SELECT COUNT(*) FROM \(part.name.sqlName)") : 0,
                    bytes: part.bytes)
            }.sorted { ($0.bytes, $1.name) > ($1.bytes, $0.name) }
        historyTransactions =
            try connection.tableExists("ATRANSACTION") ? store.count("SELECT COUNT(*) FROM ATRANSACTION") : nil
    }

    /// The pages of each table and index; empty if SQLite was built without the table `dbstat`.
    package static func pageUse(_ connection: Connection) throws -> [PageUse] {
        let owners = Dictionary(
            try connection.schema().map { ($0.name, $0.tableName) }, uniquingKeysWith: { first, _ in first })
        let rows: [[SQLiteValue]]
        do {
            rows = try connection.rows("SELECT name, pgsize, unused FROM dbstat WHERE aggregate = TRUE")
        } catch let error as SQLiteError where error.message.contains("no such table: dbstat") {
            return []
        }
        return rows.map { row in
            let name = row[0].textValue ?? ""
            return PageUse(
                name: name, table: owners[name] ?? name, bytes: Int(row[1].integerValue ?? 0),
                unusedBytes: Int(row[2].integerValue ?? 0))
        }
    }
}

extension StoreStatistics.Entity {
    fileprivate var size: Int { max(tableBytes ?? 0, valueBytes) + fileBytes }
}

/// The lengths of all values, by one pass over each table.
private struct ValueMeasure {
    private(set) var attributes: [StoreStatistics.Attribute] = []
    private(set) var objects: [Int64: Int] = [:]
    private(set) var bytes: [Int64: Int] = [:]
    private(set) var files: [Int64: Int] = [:]
    private(set) var fileBytes = 0

    init(_ store: ExaminedStore, _ layout: StoreTables, step: (String) -> Void) throws {
        let folder = StoreTables.largeDataFolder(of: store.url)
        for root in layout.entities where root.isRoot {
            step(root.table)
            let family = layout.entities.filter { $0.table == root.table }
            let places = family.flatMap { entity in
                entity.attributes.filter { !$0.isInherited }.map { (entity, $0) }
            }
            let columns = places.flatMap { place in place.1.columns.map { (place.0, place.1, $0) } }
            let sums = columns.map { "COUNT(\($0.2.sql)), SUM(\(Self.length(of: $0.2.sql)))" }
            let references = family.flatMap { entity in entity.toOnes.filter { !$0.isInherited }.map(\.keySQL) }
            let keys =
                references.isEmpty
                ? "0"
                : references.map { "IFNULL(SUM(\(Self.length(of: $0))), 0)" }
                    .joined(separator: " + ")
            var totals = Array(repeating: (values: 0, bytes: 0), count: columns.count)
            // SQLite allows up to 2,000 columns.
            for start in stride(from: 0, to: max(sums.count, 1), by: 900) {
                let part = start..<min(start + 900, sums.count)
                let list = (["Z_ENT", "COUNT(*)", keys] + sums[part]).joined(separator: ", ")
                try store.each("SELECT \(list) FROM \(root.tableSQL) GROUP BY Z_ENT") { row in
                    let number = row.int64(at: 0)
                    if start == 0 {
                        objects[number, default: 0] += Int(row.int64(at: 1))
                        bytes[number, default: 0] += Int(row.int64(at: 2))
                    }
                    for position in part {
                        let column = 3 + 2 * (position - start)
                        totals[position].values += Int(row.int64(at: column))
                        totals[position].bytes += Int(row.int64(at: column + 1))
                        bytes[number, default: 0] += Int(row.int64(at: column + 1))
                    }
                }
            }
            var position = 0
            for (entity, attribute) in places {
                var (values, size, count, fileSize) = (0, 0, 0, 0)
                for column in attribute.columns {
                    values = max(values, totals[position].values)
                    size += totals[position].bytes
                    position += 1
                    guard column.kind == .externalBinary else { continue }
                    try store.each(
                        "SELECT Z_ENT, \(column.sql) FROM \(root.tableSQL) WHERE SUBSTR(\(column.sql), 1, 1) = x'02'"
                    ) { row in
                        guard let name = row.data(at: 1).flatMap(StoreTables.fileName) else { return }
                        let length = ReadLocation.size(folder.appendingPathComponent(name).path)
                        (count, fileSize) = (count + 1, fileSize + length)
                        files[row.int64(at: 0), default: 0] += length
                        fileBytes += length
                    }
                }
                attributes.append(
                    .init(
                        entity: entity.name, name: attribute.name, values: values, bytes: size, files: count,
                        fileBytes: fileSize))
            }
        }
    }

    /// The bytes of a value in a record of SQLite.
    private static func length(of column: String) -> String {
        """
        CASE TYPEOF(\(column)) WHEN 'null' THEN 0 WHEN 'real' THEN 8 WHEN 'integer' THEN \
        CASE WHEN \(column) IN (0, 1) THEN 0 WHEN \(column) BETWEEN -128 AND 127 THEN 1 \
        WHEN \(column) BETWEEN -32768 AND 32767 THEN 2 WHEN \(column) BETWEEN -8388608 AND 8388607 THEN 3 \
        WHEN \(column) BETWEEN -2147483648 AND 2147483647 THEN 4 \
        WHEN \(column) BETWEEN -140737488355328 AND 140737488355327 THEN 6 ELSE 8 END \
        ELSE LENGTH(CAST(\(column) AS BLOB)) END
        """
    }
}
