// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The statements that rank the rows of a search by a full-text index.

import CoreDataFoundation
import SQLiteDriver

/// The most relevant rows of a search, equally relevant ones by key. SearchIndexes-10.
struct FullTextRanking {
    /// The number of entries after which the conditions are tried on some of them.
    static let sampledFrom = 1_024
    /// The number of entries that are tried: the first and the last ones.
    private static let sampleSize = 128
    /// At most this many keys are looked up by one statement.
    private static let mostKeys = 16_384

    /// Key and rank of each entry that matches. FTS5's rank is the lower, the more relevant an entry is.
    private let entries: SQLText
    /// The keys of the last entries that match.
    private let lastKeys: SQLText
    /// The results: reads the row of each entry, and then computes the ranks of those that match.
    private let matchingRows: SQLText
    /// The keys and entity numbers of those listed rows that match. The list of keys is its first value.
    private let lookUp: SQLText
    private let hasConditions: Bool
    private let offset: Int
    /// The number of results with those before the offset.
    private let count: Int

    /// - Throws: `NotTranslatable` for a search that one index cannot answer, and for conditions that are not SQL.
    init(_ conditions: FullTextConditions, _ search: ResolvedSearch, in fetch: BoundFetch) throws {
        guard let tokenizer = FullTextConditions.onlyTokenizer(of: search) else {
            throw NotTranslatable(reason: "a search of several indexes")
        }
        let (content, tables) = try conditions.usable(fetch.layout)
        let (index, text) = try conditions.query(search, tokenizer, content, tables)
        var wanted = fetch
        (wanted.limit, wanted.offset, wanted.isOrdered, wanted.result) = (0, 0, false, .keys)
        let builder = try SelectBuilder(
            schema: conditions.schema, fetch: wanted, excludesForeignRows: true, searches: conditions)
        guard builder.isComplete else { throw NotTranslatable(reason: "conditions that are evaluated in memory") }
        let name = SQLText(raw: index.sql)
        let match: SQLText = "\(name) MATCH \(value: .text(text))"
        entries = "SELECT rowid, rank FROM \(name) WHERE \(match)"
        lastKeys =
            "SELECT rowid FROM \(name) WHERE \(match) ORDER BY rowid DESC LIMIT \(raw: String(Self.sampleSize / 2))"
        // SQLite keeps the order of the tables of a CROSS JOIN: each entry, and each key, looks up one row.
        matchingRows =
            "SELECT \(builder.key), \(builder.entity), -F.rank"
            + builder.source(
                from: "\(name) AS F CROSS JOIN \(builder.table) ON \(builder.key) = F.rowid", and: "F.\(match)")
            + " ORDER BY F.rank, \(builder.key)"
            + conditions.schema.dialect.window(limit: fetch.limit, offset: fetch.offset)
        lookUp =
            "SELECT \(builder.key), \(builder.entity)"
            + builder.source(
                from: "json_each(\(value: .null)) AS F CROSS JOIN \(builder.table) ON \(builder.key) = F.value")
        hasConditions = builder.hasConditions
        offset = fetch.offset
        let (count, isTooLarge) = fetch.offset.addingReportingOverflow(fetch.limit)
        self.count = isTooLarge || fetch.limit == 0 ? .max : count
    }

    /// Ranks the entries of the index, and looks up rows in this order until there are enough results. So the rows of
    /// other entries are not read.
    func rows(by reader: RowReader) throws -> [RankedRow] {
        guard var entries = try ranked(by: reader) else { return try rowsOfEntries(reader) }
        var rows: [RankedRow] = []
        var lookedUp = 0
        while rows.count < count, !entries.isEmpty {
            let next = entries.removeFirst(nextSize(found: rows.count, of: lookedUp))
            let layouts = try layouts(of: next.map(\.key), reader)
            for entry in next where rows.count < count {
                guard let layout = layouts[entry.key] else { continue }
                rows.append(RankedRow(layout: layout, key: entry.key, relevance: -entry.rank))
            }
            lookedUp += next.count
        }
        return Array(rows.dropFirst(offset))
    }

    /// The number of entries to look up next: as many as the share of results among those before lets expect.
    private func nextSize(found: Int, of lookedUp: Int) -> Int {
        let missing = min(count - found, Self.mostKeys)
        if lookedUp == 0 { return hasConditions ? min(missing * 2, Self.mostKeys) : missing }
        let expected = missing * min(lookedUp, Self.mostKeys * 64) / max(found, 1)
        return min(max(expected * 5 / 4, Self.sampleSize), Self.mostKeys)
    }

    /// All entries with their ranks; nil if few rows match the conditions. FTS5 computes a rank more slowly than SQLite
    /// compares a row, so then only the ranks of matching rows are computed.
    func ranked(by reader: RowReader) throws -> RankedEntries? {
        var list: [RankedEntries.Entry] = []
        let isComplete = try reader.connection.withStatement(entries.text) { statement in
            try statement.bind(entries.values.map(\.sqlite))
            while try statement.step() {
                list.append(RankedEntries.Entry(rank: statement.double(at: 1), key: statement.int64(at: 0)))
                if hasConditions, list.count == Self.sampledFrom, try isSelective(list, reader) { return false }
            }
            return true
        }
        return isComplete ? RankedEntries(list) : nil
    }

    /// Whether the conditions hold for less than one of 32 entries of a sample.
    private func isSelective(_ list: [RankedEntries.Entry], _ reader: RowReader) throws -> Bool {
        var sample = list.prefix(Self.sampleSize / 2).map(\.key)
        let last = try reader.connection.rows(lastKeys.text, lastKeys.values.map(\.sqlite))
        sample += last.compactMap(\.[0].integerValue)
        return try layouts(of: sample, reader).count * 32 < sample.count
    }

    private func rowsOfEntries(_ reader: RowReader) throws -> [RankedRow] {
        try reader.connection.withStatement(matchingRows.text) { statement in
            try statement.bind(matchingRows.values.map(\.sqlite))
            var rows: [RankedRow] = []
            while try statement.step() {
                guard let layout = reader.schema.layout(number: statement.int64(at: 1)) else { continue }
                rows.append(
                    RankedRow(layout: layout, key: statement.int64(at: 0), relevance: statement.double(at: 2)))
            }
            return rows
        }
    }

    /// The entities of those rows with one of the keys that match the conditions, by key.
    private func layouts(of keys: [Int64], _ reader: RowReader) throws -> [Int64: EntityLayout] {
        var values = lookUp.values.map(\.sqlite)
        // In the order of the table, so that each of its pages is read once.
        values[0] = .text(KeyList.text(keys.sorted()))
        return try reader.connection.withStatement(lookUp.text) { statement in
            try statement.bind(values)
            var layouts: [Int64: EntityLayout] = [:]
            while try statement.step() {
                layouts[statement.int64(at: 0)] = reader.schema.layout(number: statement.int64(at: 1))
            }
            return layouts
        }
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
