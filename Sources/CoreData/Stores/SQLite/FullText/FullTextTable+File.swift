// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the full-text indexes of a file, and those that a model asks for.

import CoreDataFoundation
import Foundation
import SQLiteDriver

extension FullTextTable {
    // MARK: In a file

    /// An index that a file has.
    struct Found {
        let table: FullTextTable
        /// Whether its table and all its triggers have the text of a new index, so that it is equal to its rows
        /// (SearchIndexes-3).
        let isKept: Bool
    }

    /// The indexes in the schema of a file, in the order of their names.
    ///
    /// - Parameter columns: the columns of a table.
    static func found(in entries: [SchemaEntry], columns: (String) throws -> [String]) rethrows -> [Found] {
        var result: [Found] = []
        let tables = entries.filter { isOwn($0.name) && DatabaseOutline.isVirtual($0) }
        for name in tables.map(\.name).sorted() {
            guard let tokenizer = SearchTokenizer.allCases.first(where: { name.hasPrefix($0.indexPrefix) }) else {
                continue
            }
            let table = FullTextTable(
                content: String(name.dropFirst(tokenizer.indexPrefix.count)), tokenizer: tokenizer,
                columns: try columns(name))
            result.append(Found(table: table, isKept: table.isKept(in: entries)))
        }
        return result
    }

    static func found(on connection: Connection) throws -> [Found] {
        try found(in: connection.schema()) { try connection.columns(of: $0).map(\.name) }
    }

    // MARK: For a model

    /// The indexes of a schema: for each table one of the words, and one of the trigrams, if any of its entities has
    /// such attributes. SearchIndexes-1.
    static func wanted(by schema: Schema) -> [FullTextTable] {
        schema.tables.flatMap { table -> [FullTextTable] in
            var columns: [SearchTokenizer: Set<String>] = [:]
            for mapping in schema.entities where mapping.table === table {
                for searched in indexed(mapping) { columns[searched.tokenizer, default: []].insert(searched.column) }
            }
            return SearchTokenizer.allCases.compactMap { tokenizer in
                columns[tokenizer].map { FullTextTable(content: table.name, tokenizer: tokenizer, columns: Array($0)) }
            }
        }
    }

    /// The searched attributes of an entity that an index may have.
    ///
    /// Derived attributes are left out: their own triggers change a row while it is inserted, and SQLite does not say
    /// which of two triggers runs first.
    static func indexed(_ mapping: EntityMapping) -> [(attribute: String, column: String, tokenizer: SearchTokenizer)] {
        mapping.layout.entity.searchedAttributes.compactMap { searched in
            guard let slot = mapping.layout.slot(searched.name), !mapping.layout[slot].isDerived,
                case .attribute(let column) = mapping.storage[slot], case .string = column.coding
            else { return nil }
            return (searched.name, column.name, searched.tokenizer)
        }
    }
}
