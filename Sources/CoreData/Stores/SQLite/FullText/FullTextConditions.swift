// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates a search to conditions that SQLite's full-text indexes answer.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// A search becomes one query for FTS5, or several with AND, OR and NOT of SQL if it reads indexes with different
/// tokenizers. Texts of a program are always bound, and inside of the bound query each is a string in quotation marks,
/// so no text is ever syntax. SearchIndexes-6.
struct FullTextConditions: SearchConditions {
    let indexes: SideIndexes<FullTextTable>
    /// The connection of the fetch, within a read transaction.
    let connection: Connection
    let schema: Schema

    func condition(_ search: ResolvedSearch, key: SQLText, of layout: EntityLayout) throws -> SQLText {
        let (content, tables) = try usable(layout)
        return try condition(search, key, content, tables)
    }

    /// The table of an entity, with the indexes that may be used.
    func usable(_ layout: EntityLayout) throws -> (content: EntityTable, tables: [FullTextTable]) {
        guard let content = schema.mapping(layout)?.table else {
            throw NotTranslatable(reason: "\(layout.name) is not stored")
        }
        return (content, try indexes.usable(on: connection).filter { $0.content == content.name })
    }

    /// Whether SQLite refuses a statement because of an index. A search is then evaluated in memory: the answer does
    /// not depend on an index.
    static func isRefused(_ error: SQLiteError) -> Bool {
        guard let sql = error.sql, sql.contains(" MATCH ?") else { return false }
        return error.isGeneric || error.isCorruptVirtualTable
    }

    private func condition(
        _ search: ResolvedSearch, _ key: SQLText, _ content: EntityTable, _ tables: [FullTextTable]
    ) throws -> SQLText {
        if let tokenizer = Self.onlyTokenizer(of: search) {
            let (index, query) = try self.query(search, tokenizer, content, tables)
            let name = SQLText(raw: index.sql)
            return "\(key) IN (SELECT rowid FROM \(name) WHERE \(name) MATCH \(value: .text(query)))"
        }
        func part(_ search: ResolvedSearch) throws -> SQLText { try condition(search, key, content, tables) }
        switch search {
        case .terms: throw NotTranslatable(reason: "a search without a tokenizer")
        case .and(let members): return "(\(try members.map(part).balanced(" AND ")))"
        case .or(let members): return "(\(try members.map(part).balanced(" OR ")))"
        case .not(let wanted, let excluded): return "(\(try part(wanted)) AND NOT \(try part(excluded)))"
        }
    }

    /// The index with a tokenizer, and the text of a search for it.
    ///
    /// - Throws: `NotTranslatable` for a search that the index cannot answer.
    func query(
        _ search: ResolvedSearch, _ tokenizer: SearchTokenizer, _ content: EntityTable, _ tables: [FullTextTable]
    ) throws -> (index: FullTextTable, text: String) {
        guard let index = tables.first(where: { $0.tokenizer == tokenizer }) else {
            throw NotTranslatable(reason: "\(content.root.name) has no full-text index")
        }
        return (index, try FullTextQuery(table: index, columns: columns(of: content, tokenizer)).text(search))
    }

    /// nil for a search with several tokenizers.
    static func onlyTokenizer(of search: ResolvedSearch) -> SearchTokenizer? {
        let terms = search.allTerms
        guard let first = terms.first?.tokenizer, terms.allSatisfy({ $0.tokenizer == first }) else { return nil }
        return first
    }

    /// The columns of each searched attribute by its name. Attributes of two subentities may have one name.
    private func columns(of content: EntityTable, _ tokenizer: SearchTokenizer) -> [String: Set<String>] {
        var columns: [String: Set<String>] = [:]
        for mapping in schema.entities where mapping.table === content {
            for searched in FullTextTable.indexed(mapping) where searched.tokenizer == tokenizer {
                columns[searched.attribute, default: []].insert(searched.column)
            }
        }
        // A derived attribute has no column in the index, and its name then has no entry here.
        for mapping in schema.entities where mapping.table === content {
            let indexed = Set(FullTextTable.indexed(mapping).map(\.attribute))
            for searched in mapping.layout.entity.searchedAttributes where !indexed.contains(searched.name) {
                columns[searched.name] = nil
            }
        }
        return columns
    }
}

/// The text of a query for FTS5.
struct FullTextQuery {
    let table: FullTextTable
    /// The columns of each indexed attribute.
    let columns: [String: Set<String>]

    /// - Throws: `NotTranslatable` for attributes and phrases that the index does not have.
    func text(_ search: ResolvedSearch) throws -> String {
        switch search {
        case .terms(let terms): return try text(terms)
        case .and(let members): return "(\(try members.map(text).joined(separator: " AND ")))"
        case .or(let members): return "(\(try members.map(text).joined(separator: " OR ")))"
        case .not(let wanted, let excluded): return "(\(try text(wanted)) NOT \(try text(excluded)))"
        }
    }

    private func text(_ terms: SearchTerms) throws -> String {
        if terms.needsScan {
            throw NotTranslatable(reason: "texts of fewer than three characters have no trigram")
        }
        var filter: Set<String> = []
        for name in terms.columns {
            guard let columns = columns[name] else {
                throw NotTranslatable(reason: "the full-text index does not have '\(name)'")
            }
            filter.formUnion(columns)
        }
        let phrases = terms.phrases.map(Self.text)
        let query =
            phrases.count == 1 ? phrases[0] : "NEAR(\(phrases.joined(separator: " ")), \(terms.distance))"
        if filter == Set(table.columns) { return query }
        return "{\(filter.sorted().map(Self.string).joined(separator: " "))} : \(query)"
    }

    private static func text(_ phrase: ResolvedPhrase) -> String {
        (phrase.isInitial ? "^ " : "") + string(phrase.text) + (phrase.isPrefix ? " *" : "")
    }

    private static func string(_ text: String) -> String { "\"" + text.replacingEach("\"", with: "\"\"") + "\"" }
}
