// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives a new file full-text indexes if the old one has any.

import Foundation
import SQLiteDriver

/// The option that asked for the indexes may be absent now, and then the next opening would not make them.
/// SearchIndexes-5.
enum FullTextSuccession {
    /// - Parameters:
    ///   - new: a file with all objects that no other connection uses.
    ///   - model: the version of the new file, with only its entities.
    static func write(from old: URL, to new: URL, _ model: NSManagedObjectModel) throws {
        let inspector = try SQLiteStoreFile(url: old).inspector()
        let isIndexed = try inspector.read { try !FullTextTable.found(on: inspector).isEmpty }
        try inspector.close()
        guard isIndexed, let model = model.copy() as? NSManagedObjectModel else { return }
        model.freeze()
        let connection = try Connection(url: new, options: .init(access: .readWrite))
        defer { try? connection.close() }
        let schema = try Schema(model: ModelLayout(entities: model.entities), in: StoreInventory(connection))
        try FullTextIndexes(schema: schema).settle(.on, on: connection)
    }
}
