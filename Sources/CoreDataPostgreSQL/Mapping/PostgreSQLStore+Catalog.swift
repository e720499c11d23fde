// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the catalog of a schema, which need not contain a store.

package import Foundation
import PostgreSQLDriver

extension PostgreSQLStore {
    /// The tables of the schema that a URL names, and the schema's name. Changes nothing.
    package static func catalog(at url: URL) throws -> (catalog: ServerCatalog, schema: String) {
        do {
            let settings = try StoreSettings(url, nil)
            let sessions = Sessions(settings)
            defer { sessions.close() }
            let catalog = try sessions.with(repeats: true) {
                try ServerCatalog($0, schemas: [settings.schema], sessions.deadline)
            }
            return (catalog, settings.schema)
        } catch {
            throw StoreErrors.opening(error, url)
        }
    }
}
