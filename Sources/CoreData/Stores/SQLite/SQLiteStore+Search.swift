// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the most relevant rows of a search by a full-text index.

import CoreDataFoundation
import SQLiteDriver

extension SQLiteStore: RankedSearching {
    func ranked(
        _ search: ResolvedSearch, of layout: EntityLayout, includesSubentities: Bool, limit: Int, offset: Int
    ) throws -> [RankedRow]? {
        guard search.isFlat else { return nil }
        do {
            return try read(in: nil) { reader in
                try reader.connection.read {
                    let conditions = FullTextConditions(
                        indexes: reader.opened.fullText, connection: reader.connection, schema: reader.schema)
                    let rows = try conditions.ranking(
                        search, of: layout, includesSubentities: includesSubentities)
                    return try Self.rows(
                        rows + reader.schema.dialect.window(limit: limit, offset: offset), reader)
                }
            }
        } catch is NotTranslatable {
            return nil
        } catch let error as SQLiteError where FullTextConditions.isRefused(error) {
            return nil
        }
    }

    private static func rows(_ select: SQLText, _ reader: RowReader) throws -> [RankedRow] {
        try reader.connection.withStatement(select.text) { statement in
            try statement.bind(select.values.map(\.sqlite))
            var rows: [RankedRow] = []
            while try statement.step() {
                guard let layout = reader.schema.layout(number: statement.int64(at: 1)) else { continue }
                rows.append(
                    RankedRow(layout: layout, key: statement.int64(at: 0), relevance: statement.double(at: 2)))
            }
            return rows
        }
    }
}
