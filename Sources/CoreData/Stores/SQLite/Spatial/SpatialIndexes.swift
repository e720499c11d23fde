// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The spatial indexes of an open store, looked up for each fetch that could use one, and its condition. Geography-7.

import Foundation
import SQLiteDriver
import Synchronization

/// The R-tree indexes that fetches of one store may use. Thread-safe.
final class SpatialIndexes: Sendable {
    /// An index of the file whose triggers keep it equal to its rows.
    struct Index: Sendable {
        let table: String
        let nameSQL: String
        /// The names of the bounds in the index, by the name of the row's column.
        let bounds: [String: Bounds]
    }

    struct Bounds: Sendable {
        let least: String
        let greatest: String
    }

    private struct State {
        /// The version of the file's schema in which the indexes were found; nil before the first look-up.
        var version: Int64?
        var usable: [Index] = []
    }

    private let schema: Schema
    private let state = Mutex(State())

    init(schema: Schema) { self.schema = schema }

    /// The indexes of the state that a connection reads. Another program may have dropped one, or its triggers.
    ///
    /// - Parameter connection: within a read transaction, so that the indexes are still there for the fetch.
    func usable(on connection: Connection) throws -> [Index] {
        let version = try connection.schemaVersion()
        if let known = state.withLock({ $0.version == version ? $0.usable : nil }) { return known }
        let texts = Dictionary(
            try connection.schema().compactMap { entry in entry.sql.map { ($0, entry) } }
                .map { (DatabaseOutline.normalized($0), $1.name) }, uniquingKeysWith: { first, _ in first })
        let usable = try SchemaTriggers(schema: schema).spatialIndexes.filter { index in
            try ([index.creation] + index.triggers).allSatisfy { texts[DatabaseOutline.normalized($0)] != nil }
                && isReadable(index, on: connection)
        }.map { index in
            Index(
                table: index.mapping.table.name, nameSQL: SchemaNaming.quoted(index.name),
                bounds: Dictionary(
                    index.bounds.map { bound in
                        (Self.name(bound.columnSQL), Bounds(least: bound.least, greatest: bound.greatest))
                    }, uniquingKeysWith: { first, _ in first }))
        }
        state.withLock { $0 = State(version: version, usable: usable) }
        return usable
    }

    /// Whether this SQLite library has the R-tree module: another program may have made the file.
    private func isReadable(_ index: SchemaTriggers.SpatialIndex, on connection: Connection) throws -> Bool {
        do {
            _ = try connection.rows("SELECT Z_PK FROM \(SchemaNaming.quoted(index.name)) LIMIT 0")
            return true
        } catch let error as SQLiteError where error.lacksModule {
            return false
        }
    }

    private static func name(_ columnSQL: String) -> String {
        columnSQL.hasPrefix("\"") ? String(columnSQL.dropFirst().dropLast()) : columnSQL
    }
}

/// The indexes for the fetch of one connection.
struct SQLiteSpatialConditions: SpatialConditions {
    let indexes: SpatialIndexes
    /// The connection of the fetch, within a read transaction.
    let connection: Connection
    let schema: Schema

    func candidates(_ boxes: [SpatialBox], key: SQLText, of layout: EntityLayout) throws -> SQLText? {
        guard let table = schema.mapping(layout)?.table.name else { return nil }
        let index = try indexes.usable(on: connection).first { index in
            index.table == table && boxes.allSatisfy { box in box.ranges.keys.count { index.bounds[$0] != nil } >= 2 }
        }
        guard let index else { return nil }
        let parts = boxes.map { box -> SQLText in
            var conditions: [SQLText] = []
            for (column, range) in box.ranges.sorted(by: { $0.key < $1.key }) {
                guard let bounds = index.bounds[column] else { continue }
                if range.least > -.infinity {
                    conditions.append("\(raw: bounds.greatest) >= \(value: .double(range.least))")
                }
                if range.greatest < .infinity {
                    conditions.append("\(raw: bounds.least) <= \(value: .double(range.greatest))")
                }
            }
            return "SELECT Z_PK FROM \(raw: index.nameSQL) WHERE \(conditions.joined(" AND "))"
        }
        return "\(key) IN (\(parts.joined(" UNION ALL ")))"
    }
}
