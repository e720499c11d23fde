// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Narrows searches to the candidates of a full-text index, ranks them, and counts rows and phrases for it.

package import CoreData
package import CoreDataFoundation
import PostgreSQLDriver

/// The rows that a query of the index matches, and those without tokens. Memory evaluates them (ServerSearch-4).
struct ServerSearchConditions: SearchConditions {
    let indexes: ServerSearches

    func condition(_ search: ResolvedSearch, key: SQLText, of layout: EntityLayout) throws -> SQLText {
        throw NotTranslatable(
            reason: indexes.table(of: layout) == nil
                ? "a search without a full-text index" : "the full-text index gives candidates of a search")
    }

    func candidates(_ search: ResolvedSearch, key: SQLText, of layout: EntityLayout) throws -> SQLText? {
        guard let index = indexes.table(of: layout) else { return nil }
        let query = try CandidateQuery(index: index).text(search)
        return
            "\(key) IN (SELECT s.id FROM \(raw: index.sql) AS s "
            + "WHERE s.tokens @@ CAST(\(value: .text(query)) AS tsquery) OR s.tokens IS NULL)"
    }

    /// Whether a statement failed because another program has removed an index, or the right to read it. A search is
    /// then evaluated in memory: the answer does not depend on an index.
    static func isRefused(_ error: PostgreSQLError) -> Bool {
        ["42P01", "42501"].contains(error.code) && error.message.contains(SearchTable.prefix)
    }
}

extension PostgreSQLStore: RankedSearching, SearchCounting {
    package func ranked(_ search: ResolvedSearch, in fetch: BoundFetch) throws -> [RankedRow]? {
        try counting(fetch.layout) { try $0.ranked(search, in: fetch) }
    }

    package func statistics(of search: ResolvedSearch, _ layout: EntityLayout) throws -> SearchStatistics? {
        try counting(layout) { try $0.statistics(of: search) }
    }

    /// - Returns: nil if memory has to count.
    private func counting<T>(_ layout: EntityLayout, _ body: (SearchCount) throws -> T) throws -> T? {
        guard let index = try opened().searches.table(of: layout), index.isWhole else { return nil }
        return try read(in: nil) { reader in
            do {
                // One state of the index and the rows.
                let begin = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                try reader.connection.run(begin, reader.opened.sessions.deadline)
                defer { reader.connection.rollBack(reader.opened.sessions.deadline) }
                return try body(SearchCount(index: index, reader: reader))
            } catch is NotTranslatable {
                return nil
            } catch let error as PostgreSQLError where ServerSearchConditions.isRefused(error) {
                return nil
            }
        }
    }
}

/// Counts and ranks by an index, in one snapshot. Of the rows only those without tokens, candidates of phrases, and
/// candidates of the search to be ranked are read (ServerSearch-9).
private struct SearchCount {
    let index: SearchTable
    let reader: ServerReader

    private func run(_ text: String, _ values: [Parameter] = []) throws -> Answer {
        try reader.connection.run(Statement(text, values), reader.opened.sessions.deadline)
    }

    func statistics(of search: ResolvedSearch) throws -> SearchStatistics {
        var (rows, tokens) = (0, [SearchTokenizer: Int]())
        try run(
            "SELECT count(*), coalesce(sum(words), 0), coalesce(sum(trigrams), 0) FROM \(index.sql) "
                + "WHERE words IS NOT NULL"
        ).forEachRow { row in
            rows = Int(row[0].integer ?? 0)
            tokens = [.words: Int(row[1].integer ?? 0), .trigrams: Int(row[2].integer ?? 0)]
        }
        var (pending, long): ([Int64], [Int64]) = ([], [])
        try run("SELECT id, words IS NULL FROM \(index.sql) WHERE tokens IS NULL ORDER BY id").forEachRow { row in
            guard let key = row[0].integer else { return }
            if row[1].integer == 1 { pending.append(key) } else { long.append(key) }
        }
        var statistics = try SearchStatistics(search, rowCount: rows, tokenCounts: tokens) { phrase in
            try rowCount(of: phrase, besides: long)
        }
        try forEachRow(of: pending) { try statistics.add($0, $1) }
        return statistics
    }

    /// The number of known rows that have a phrase.
    private func rowCount(of phrase: SearchTerms, besides long: [Int64]) throws -> Int {
        let query: [Parameter] = [.text(try CandidateQuery(index: index).text(.terms(phrase)))]
        let source = "FROM \(index.sql) WHERE tokens @@ CAST($1 AS tsquery)"
        var (count, keys) = (0, long)
        if CandidateQuery.isExact(phrase) {
            count = Int(try run("SELECT count(*) \(source)", query).first(\.integer) ?? 0)
        } else {
            try run("SELECT id \(source)", query).forEachRow { if let key = $0[0].integer { keys.append(key) } }
        }
        try forEachRow(of: keys) { texts, _ in if try texts.matches(.terms(phrase)) { count += 1 } }
        return count
    }

    // MARK: Ranking

    /// The most relevant rows. Only the texts of candidates are read, and no objects are made of them.
    ///
    /// - Throws: `NotTranslatable` for conditions that are not SQL.
    func ranked(_ search: ResolvedSearch, in fetch: BoundFetch) throws -> [RankedRow] {
        let statement = try candidates(of: search, fetch)
        let statistics = try statistics(of: search)
        let model = reader.schema.model
        var columns: [Int: [SearchColumn]] = [:]
        var rows: [RankedRow] = []
        try reader.connection.stream(statement, answerTimeout: reader.opened.sessions.answerTimeout) { cells in
            let place = index.columns.count + 1
            let kind = index.table.root.hasSubentities ? cells[place].text : index.table.root.name
            guard let key = cells[0].integer, let layout = kind.flatMap(model.layout(named:)),
                let slots = index.slots[layout.index]
            else { return }
            let known = columns[layout.index] ?? layout.objectColumns
            columns[layout.index] = known
            let texts = SearchedTexts { column in
                guard known.contains(column), let slot = layout.slot(column.name),
                    let found = slots.first(where: { $0.slot == slot })
                else { return nil }
                return cells[found.column + 1].text
            }
            guard try texts.matches(search) else { return }
            rows.append(
                RankedRow(layout: layout, key: key, relevance: try statistics.relevance(of: texts, known)))
        }
        rows.sort { $0.relevance != $1.relevance ? $0.relevance > $1.relevance : $0.key < $1.key }
        let rest = rows.dropFirst(fetch.offset)
        return Array(fetch.limit > 0 ? rest.prefix(fetch.limit) : rest)
    }

    /// A query for keys, texts and entities of the candidates.
    private func candidates(of search: ResolvedSearch, _ fetch: BoundFetch) throws -> Statement {
        var wanted = fetch
        (wanted.limit, wanted.offset, wanted.isOrdered, wanted.result) = (0, 0, false, .keys)
        let conditions = ServerSearchConditions(indexes: reader.opened.searches)
        let builder = try SelectBuilder(schema: reader.schema, fetch: wanted, searches: conditions)
        let (table, alias, condition) = builder.target
        guard builder.isComplete,
            let candidates = try conditions.candidates(search, key: SQLText(raw: "\(alias).id"), of: fetch.layout)
        else { throw NotTranslatable(reason: "conditions that are evaluated in memory") }
        let texts = index.columns.map { ", \(alias)." + reader.opened.dialect.quoted($0.name) }.joined()
        let kind = index.table.root.hasSubentities ? ", \(alias).\(SnakeNames.kind)" : ""
        var select = SQLText(raw: "SELECT \(alias).id\(texts)\(kind) FROM \(table) WHERE ") + candidates
        if let condition { select += " AND (\(condition))" }
        return select.statement()
    }

    private func forEachRow(of keys: [Int64], _ body: (SearchedTexts, [SearchColumn]) throws -> Void) throws {
        var known: [Int: [SearchColumn]] = [:]
        for start in stride(from: 0, to: keys.count, by: 1_000) {
            let part = Array(keys[start..<min(start + 1_000, keys.count)])
            for row in try reader.rows(part, root: index.table.root) {
                let layout = row.snapshot.layout
                let columns = known[layout.index] ?? layout.objectColumns
                known[layout.index] = columns
                let texts = SearchedTexts { column in
                    guard columns.contains(column), let slot = layout.slot(column.name) else { return nil }
                    return row.snapshot.value(slot) as? String
                }
                try body(texts, columns)
            }
        }
    }
}
