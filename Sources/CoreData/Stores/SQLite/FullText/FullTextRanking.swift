// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that rank the rows of a search by a full-text index, and count what relevance depends on.

import CoreDataFoundation
import SQLiteDriver

/// The most relevant rows as statements. Each gives keys, entity numbers and relevance, the most relevant rows first,
/// equally relevant ones by key. SearchIndexes-10.
struct FullTextRanking {
    /// Ranks the entries of the index, and reads the rows of the results only. An entry without a row has no entity
    /// number; the result is then that of `ofRows`. The first rows are those before the offset. nil if not all rows of
    /// the table are wanted.
    let ofEntries: SQLText?
    /// Reads the row of each entry. The index is the outer loop, so FTS5 computes the relevance of each entry once.
    let ofRows: SQLText

    /// - Parameter excludesForeignRows: whether the table is known to have rows that belong to none of its entities.
    /// - Throws: `NotTranslatable` for a search that one index cannot answer, and for conditions that are not SQL.
    init(
        _ conditions: FullTextConditions, _ search: ResolvedSearch, in fetch: BoundFetch, excludesForeignRows: Bool
    ) throws {
        guard let tokenizer = FullTextConditions.onlyTokenizer(of: search) else {
            throw NotTranslatable(reason: "a search of several indexes")
        }
        let (content, tables) = try conditions.usable(fetch.layout)
        let (index, text) = try conditions.query(search, tokenizer, content, tables)
        let name = SQLText(raw: index.sql)
        var wanted = fetch
        (wanted.limit, wanted.offset, wanted.isOrdered, wanted.result) = (0, 0, false, .keys)
        func target(excludesForeignRows: Bool) throws -> (table: String, alias: String, condition: SQLText?) {
            let builder = try SelectBuilder(
                schema: conditions.schema, fetch: wanted, excludesForeignRows: excludesForeignRows,
                searches: conditions)
            guard builder.isComplete else { throw NotTranslatable(reason: "conditions that are evaluated in memory") }
            return builder.target
        }
        let rows = try target(excludesForeignRows: true)
        let row = SQLText(raw: rows.alias)
        let condition: SQLText = rows.condition.map { " AND (\($0))" } ?? ""
        let source: SQLText = "\(name) AS F CROSS JOIN \(raw: rows.table) ON \(row).Z_PK = F.rowid"
        let match: SQLText = "MATCH \(value: .text(text))"
        let window = conditions.schema.dialect.window(limit: fetch.limit, offset: fetch.offset)
        ofRows =
            "SELECT \(row).Z_PK, \(row).Z_ENT, -F.rank FROM \(source) WHERE F.\(name) \(match)\(condition) "
            + "ORDER BY F.rank, \(row).Z_PK\(window)"
        let (count, isTooLarge) = fetch.offset.addingReportingOverflow(fetch.limit)
        guard !isTooLarge, try target(excludesForeignRows: excludesForeignRows).condition == nil else {
            ofEntries = nil
            return
        }
        let first = conditions.schema.dialect.window(limit: count, offset: 0)
        let entries: SQLText =
            "SELECT rowid AS K, rank AS R FROM \(name) WHERE \(name) \(match) ORDER BY rank, rowid\(first)"
        ofEntries =
            "SELECT F.K, T.Z_ENT, -F.R FROM (\(entries)) AS F LEFT JOIN \(raw: content.sql) AS T "
            + "ON T.Z_PK = F.K AND T.Z_PK > 0 ORDER BY F.R, F.K"
    }
}

extension FullTextConditions {
    /// The statistics of all rows of an entity's inheritance tree, as the indexes have them. SearchIndexes-11.
    ///
    /// - Throws: `NotTranslatable` if the indexes do not have all texts and phrases; SQLite's errors.
    func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics {
        let (content, tables) = try usable(layout)
        for mapping in schema.entities where mapping.table === content {
            guard FullTextTable.indexed(mapping).count == mapping.layout.entity.searchedAttributes.count else {
                throw NotTranslatable(reason: "derived attributes have no full-text index")
            }
        }
        var rowCount = 0
        var tokenCounts: [SearchTokenizer: Int] = [:]
        for tokenizer in Set(search.wantedTerms.map(\.tokenizer)) {
            guard let index = tables.first(where: { $0.tokenizer == tokenizer }),
                let totals = try FullTextTotals(of: index, on: connection)
            else { throw NotTranslatable(reason: "\(content.root.name) has no full-text index") }
            rowCount = totals.rows
            tokenCounts[tokenizer] = totals.tokens
        }
        return try SearchStatistics(search, rowCount: rowCount, tokenCounts: tokenCounts) { phrase in
            let (index, text) = try query(.terms(phrase), phrase.tokenizer, content, tables)
            let count = try connection.value(
                "SELECT COUNT(*) FROM \(index.sql) WHERE \(index.sql) MATCH ?", [.text(text)])
            return Int(count?.integerValue ?? 0)
        }
    }
}

/// The numbers of rows and tokens of an index, which FTS5 keeps for its own `bm25`.
struct FullTextTotals: Equatable {
    let rows: Int
    let tokens: Int

    /// nil for an index whose numbers cannot be read.
    init?(of index: FullTextTable, on connection: Connection) throws {
        let entry: SQLiteValue?
        do {
            entry = try connection.value("SELECT block FROM \(index.dataSQL) WHERE id = 1")
        } catch let error as SQLiteError where error.isGeneric {
            return nil  // another program has dropped the table
        }
        guard let record = entry?.blobValue else { return nil }
        self.init(record: Array(record))
    }

    /// - Parameter record: the first entry of the index's data: the number of rows, then the number of tokens of each
    ///   column, each an integer of 1 to 9 bytes as in SQLite's file format. Empty for an index that never had a row.
    init?(record: [UInt8]) {
        var numbers: [Int] = []
        var rest = record[...]
        while !rest.isEmpty {
            guard let number = Self.number(&rest) else { return nil }
            numbers.append(number)
        }
        rows = numbers.first ?? 0
        var sum = 0
        for number in numbers.dropFirst() {
            let (total, isOverflow) = sum.addingReportingOverflow(number)
            if isOverflow { return nil }
            sum = total
        }
        tokens = sum
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number: UInt64 = 0
        for place in 1...9 {
            guard let byte = bytes.popFirst() else { return nil }
            if place == 9 {
                number = number << 8 | UInt64(byte)
            } else {
                number = number << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { break }
            }
        }
        return Int(exactly: number)
    }
}
