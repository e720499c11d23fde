// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the most relevant rows of a search, and its statistics, by a full-text index.

import CoreDataFoundation
import SQLiteDriver

extension SQLiteStore: RankedSearching, SearchCounting {
    func ranked(_ search: ResolvedSearch, in fetch: BoundFetch) throws -> [RankedRow]? {
        guard search.isFlat else { return nil }
        return try ranking(search, in: fetch) { ranking, reader in try ranking.rows(by: reader) }
    }

    /// Calls the body within a read transaction.
    ///
    /// - Returns: nil if memory has to answer.
    func ranking<Answer>(
        _ search: ResolvedSearch, in fetch: BoundFetch, _ body: (FullTextRanking, RowReader) throws -> Answer?
    ) throws -> Answer? {
        try reading { conditions, reader in try body(FullTextRanking(conditions, search, in: fetch), reader) }
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
}
