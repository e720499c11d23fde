// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the most relevant rows of a search, and its statistics, by a full-text index.

import CoreDataFoundation
import SQLiteDriver

extension SQLiteStore: RankedSearching, SearchCounting {
    func ranked(_ search: ResolvedSearch, in fetch: BoundFetch) throws -> [RankedRow]? {
        guard search.isFlat else { return nil }
        return try reading { conditions, reader in
            let ranking = try FullTextRanking(
                conditions, search, in: fetch, excludesForeignRows: reader.opened.plans.excludesForeignRows)
            if let statement = ranking.ofEntries, let rows = try Self.rows(statement, reader) {
                return Array(rows.dropFirst(fetch.offset))
            }
            return try Self.rows(ranking.ofRows, reader)
        }
    }

    func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics? {
        try reading { conditions, _ in try conditions.statistics(of: search, layout) }
    }

    /// Reads indexes and rows in one state of the file.
    ///
    /// - Returns: nil if memory has to answer.
    private func reading<Answer>(_ body: (FullTextConditions, RowReader) throws -> Answer?) throws -> Answer? {
        try read(in: nil) { reader in
            do {
                return try reader.connection.read {
                    let conditions = FullTextConditions(
                        indexes: reader.opened.fullText, connection: reader.connection, schema: reader.schema)
                    return try body(conditions, reader)
                }
            } catch is NotTranslatable {
                return nil
            } catch let error as SQLiteError where FullTextConditions.isRefused(error) {
                return nil
            }
        }
    }

    /// nil if one of the rows is not there, or belongs to no entity.
    private static func rows(_ select: SQLText, _ reader: RowReader) throws -> [RankedRow]? {
        try reader.connection.withStatement(select.text) { statement in
            try statement.bind(select.values.map(\.sqlite))
            var rows: [RankedRow] = []
            while try statement.step() {
                guard let layout = reader.schema.layout(number: statement.int64(at: 1)) else { return nil }
                rows.append(
                    RankedRow(layout: layout, key: statement.int64(at: 0), relevance: statement.double(at: 2)))
            }
            return rows
        }
    }
}
