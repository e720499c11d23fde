// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store that a command reads with statements; stores of other kinds are copied to a SQLite store first.

import CoreData
import CoreDataModelFiles
package import Foundation
import SQLiteDriver

/// The rows of a store of any kind, with its original model. Confined to one thread.
package final class RowStore {
    /// The location given by the user.
    package let url: URL
    let connection: Connection
    let tables: StoreTables
    /// The original model.
    let document: ModelDocument
    let hashes: [String: Data]
    let identifier: String
    let metadata: [String: Any]
    let largeData: URL
    private let examined: ExaminedStore
    private let temporary: TemporaryStore?

    /// - Throws: `ToolError` for a file that is no store, keeps no model, or lacks parts of it.
    package init(
        _ url: URL, model: URL? = nil, version: String? = nil, inference: ModelInference? = nil
    ) throws {
        self.url = url
        let isSQLite = try FileKind(of: url) == .sqlite
        temporary = isSQLite ? nil : try TemporaryStore(copying: url, model: model, version: version, inference)
        examined = try ExaminedStore(
            temporary?.url ?? url, model: isSQLite ? model : nil, version: version, inference: inference)
        connection = examined.connection
        guard let document = examined.document ?? examined.inferred?.markedDocument else {
            throw ToolError(
                "\(url.path) keeps no model: give one with --model, or take the one inferred from its tables with --infer."
            )
        }
        guard let tables = examined.tables else {
            throw ToolError("\(url.path) lacks parts of its model: \(examined.missing.list). `doctor` says more.")
        }
        (self.document, self.tables) = (document, tables)
        hashes = examined.file.hashes
        identifier = examined.identifier
        largeData = StoreTables.largeDataFolder(of: examined.location.isInPlace ? examined.url : examined.location.url)
        let list = try connection.value("SELECT Z_PLIST FROM Z_METADATA LIMIT 1")?.blobValue
        metadata = list.flatMap { try? PropertyListBounds.values(of: $0) as? [String: Any] } ?? [:]
    }

    /// A given model, for a store that keeps none.
    ///
    /// - Returns: nil for a store that keeps its model, and for a model file.
    package static func model(_ given: URL?, for url: URL) throws -> URL? {
        guard let given, try FileKind(of: url).storeType != nil else { return nil }
        return try OpenedStore(url).origin == .cache ? nil : given
    }

    /// Calls the body with each row of a query.
    func each(_ sql: String, _ body: (Statement) throws -> Void) throws { try examined.each(sql, body) }
    func count(_ sql: String) throws -> Int { try examined.count(sql) }

    /// The entities that may have rows, in the order of their numbers.
    var concreteEntities: [StoreTables.Entity] { tables.entities.filter { !$0.isAbstract } }
}

/// A SQLite store in the temporary folder with the objects of a store of another kind. Removed with this object.
private final class TemporaryStore {
    let url: URL
    private let folder: URL

    init(copying source: URL, model: URL?, version: String?, _ inference: ModelInference?) throws {
        let manager = FileManager.default
        folder = manager.temporaryDirectory.appendingPathComponent("coredata-tool-\(UUID().uuidString)")
        url = folder.appendingPathComponent("Store.sqlite")
        let opened = try OpenedStore(source, model: model, version: version, inference: inference)
        try manager.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        ["", "-wal", "-shm"].forEach { SignalCleanUp.add(url.path + $0) }
        SignalCleanUp.add(folder.path)
        guard let coordinator = opened.context.persistentStoreCoordinator,
            let store = coordinator.persistentStores.first
        else { throw ToolError("\(source.path) could not be opened.") }
        let copy = try coordinator.migratePersistentStore(store, to: url, options: nil, type: .sqlite)
        try coordinator.remove(copy)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        (["", "-wal", "-shm"].map { url.path + $0 } + [folder.path]).forEach(SignalCleanUp.remove)
    }
}
