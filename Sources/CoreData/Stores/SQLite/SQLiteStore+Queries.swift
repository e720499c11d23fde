// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Answers SQL queries, from the store as it is now or as it was at one moment.

import Foundation
import SQLiteDriver
import Synchronization

extension SQLiteStore: SQLQuerySource {
    func entities(of query: SQLQuery) throws -> [String] { try entities(of: query, in: opened()) }

    func rows(of query: SQLQuery, _ kinds: [SQLColumnKind], in sharedRead: SharedReadTransaction?) throws
        -> SQLQueryResult
    {
        try SourceQuery(source: self, store: self, opened: opened()).rows(query, kinds, sharedRead)
    }

    func plan(of query: SQLQuery, in sharedRead: SharedReadTransaction?) throws -> SQLQueryPlan {
        try SourceQuery(source: self, store: self, opened: opened()).plan(query, sharedRead)
    }

    fileprivate func entities(of query: SQLQuery, in opened: OpenDatabase) throws -> [String] {
        try NamedTranslation.statement(query, names(opened)).entities
    }

    /// The names of an open database, made once.
    fileprivate func names(_ opened: OpenDatabase) -> NamedTables {
        namedTables.withLock { known in
            if let known, known.schema === opened.schema { return known.names }
            let names = NamedTables(StoreTables(opened.schema), .stored)
            known = (opened.schema, names)
            return names
        }
    }
}

extension SQLiteGeneration: SQLQuerySource {
    func entities(of query: SQLQuery) throws -> [String] { try owner?.entities(of: query, in: opened) ?? [] }

    func rows(of query: SQLQuery, _ kinds: [SQLColumnKind], in sharedRead: SharedReadTransaction?) throws
        -> SQLQueryResult
    {
        guard let owner else { throw SourceQuery<SQLiteGeneration>.lost }
        return try SourceQuery(source: self, store: owner, opened: opened).rows(query, kinds, sharedRead)
    }

    func plan(of query: SQLQuery, in sharedRead: SharedReadTransaction?) throws -> SQLQueryPlan {
        guard let owner else { throw SourceQuery<SQLiteGeneration>.lost }
        return try SourceQuery(source: self, store: owner, opened: opened).plan(query, sharedRead)
    }

    private var owner: SQLiteStore? { store as? SQLiteStore }
}

/// One query of a store or of a generation.
private struct SourceQuery<Source: RelationalSource> where Source.Reader == RowReader {
    let source: Source
    let store: SQLiteStore
    let opened: OpenDatabase

    static var lost: NSError { CoreDataError.storeOperation("The generation belongs to no SQLite store.") }

    func rows(_ query: SQLQuery, _ kinds: [SQLColumnKind], _ sharedRead: SharedReadTransaction?) throws
        -> SQLQueryResult
    {
        let objects = Set(kinds.indices.filter { kinds[$0].isObject })
        let statement = try NamedTranslation.statement(query, store.names(opened), objects: objects)
        try check(query)
        return try source.read(in: sharedRead) { reader in
            try NamedRun(statement, on: reader.connection).rows(kinds, opened.schema)
        }
    }

    func plan(_ query: SQLQuery, _ sharedRead: SharedReadTransaction?) throws -> SQLQueryPlan {
        let statement = try NamedTranslation.statement(query, store.names(opened))
        return try source.read(in: sharedRead) { try NamedRun(statement, on: $0.connection).plan() }
    }

    /// Keys are unique within one store only.
    private func check(_ query: SQLQuery) throws {
        for argument in query.values.flatMap(\.arguments) {
            guard case .object(let id) = argument.content, id.home !== store.identity else { continue }
            throw SQLQueryError(
                .unsupportedValue, name: id.entity.name, "An object of '\(id.layout.name)' is in another store.")
        }
    }
}
