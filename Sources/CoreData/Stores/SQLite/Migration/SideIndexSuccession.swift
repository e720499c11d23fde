// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives a new file full-text indexes and indexes of values if the old one has any.

import Foundation
import SQLiteDriver

/// The option that asked for the indexes may be absent now, and then the next opening would not make them.
/// SearchIndexes-5.
enum SideIndexSuccession {
    /// - Parameters:
    ///   - new: a file with all objects that no other connection uses.
    ///   - model: the version of the new file, with only its entities.
    static func write(from old: URL, to new: URL, _ model: NSManagedObjectModel) throws {
        let inspector = try SQLiteStoreFile(url: old).inspector()
        let entries = try inspector.read { try inspector.schema() }
        try inspector.close()
        let isSearched = !FullTextTable.droppedEntries(of: entries).isEmpty
        let hasValues = !ValueTable.droppedEntries(of: entries).isEmpty
        guard isSearched || hasValues, let model = model.copy() as? NSManagedObjectModel else { return }
        model.freeze()
        let connection = try Connection(url: new, options: .init(access: .readWrite))
        defer { try? connection.close() }
        let schema = try Schema(model: ModelLayout(entities: model.entities), in: StoreInventory(connection))
        if isSearched { try SideIndexes<FullTextTable>(schema: schema).settle(.on, on: connection) }
        if hasValues { try SideIndexes<ValueTable>(schema: schema).settle(.on, on: connection) }
    }
}
