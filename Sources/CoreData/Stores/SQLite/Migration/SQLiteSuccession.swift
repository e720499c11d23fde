// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// All that a SQLite file has besides its objects, on its way to a new file.

import Foundation

/// The history begins anew, the tables of CloudKit's mirror follow the objects, and full-text indexes and indexes
/// of values are made for the new version.
struct SQLiteSuccession: StoreSuccession {
    let store: URL
    /// nil for a store that is not mirrored.
    let mirror: CloudMirrorSuccession?

    var keys: Set<MigratedKey> { mirror?.keys ?? [] }

    func write(to side: URL, _ model: NSManagedObjectModel, _ partners: [MigratedKey: MigratedKey]) throws {
        do {
            try HistoryRestart.write(from: store, to: side)
            try mirror?.write(to: side, model, partners)
            try SideIndexSuccession.write(from: store, to: side, model)
        } catch {
            throw SQLiteStoreErrors.opening(error, url: store)
        }
    }
}
