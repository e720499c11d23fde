// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the parts of a migration: the store, its version, the wanted version, and the versions in between.

package import CoreData
import CoreDataModelFiles
import CoreDataPostgreSQL
import Foundation
import SQLiteDriver

/// A store, and the version of a model to migrate it to.
package struct MigrationTask {
    /// The location given by the user.
    package let url: URL
    package let type: NSPersistentStore.StoreType
    /// The wanted version. Its objects are plain ones, so that no class is needed.
    let model: NSManagedObjectModel
    /// The name of the wanted version.
    package let wantedName: String
    /// The name of the store's version in the bundle of the model; nil for a version that the bundle lacks.
    package let storedName: String?
    package let storedChecksum: String
    let configuration: String?
    /// Whether rows that cannot be migrated go into a separate store.
    let quarantines: Bool
    /// The uncertain parts of an inferred source model, and the parts of the file that it leaves out; nil for a model
    /// that is not inferred.
    let inferredNotes: [InferredModel.Note]?
    let options: [AnyHashable: Any]
    /// The location to read; the store itself for a task that writes.
    let location: ReadLocation
    /// By entity name.
    let storedHashes: [String: Data]

    /// - Parameters:
    ///   - modelURL: an `.xcdatamodeld`, `.momd` or similar. All its versions may be the store's.
    ///   - version: the wanted version; nil for the current one.
    ///   - through: the models of intermediate versions, oldest first. Without them only versions of `mapping` are used
    ///     as intermediate versions, because the names of versions do not reveal their order.
    ///   - mapping: a compiled mapping model, preferred to those of bundles.
    ///   - allowsLoss: whether a path through versions of `mapping` may lose more than a direct step. A path through
    ///     models that the user has named may always.
    ///   - keepsOriginal: whether a copy of the store stays next to it.
    ///   - quarantines: whether rows that cannot be migrated go into a separate store.
    ///   - inference: takes the model that the tables imply, for a store that keeps none, if the bundle lacks its
    ///     version; nil to refuse such a store. Such a migration keeps the original.
    ///   - isWritten: whether the store will be changed; otherwise no file is made or changed.
    /// - Throws: an error for the user, see `ToolError.text(of:)`.
    package init(
        _ url: URL, model modelURL: URL, version: String? = nil, configuration: String? = nil, through: [URL] = [],
        mapping: URL? = nil, allowsLoss: Bool = false, rebuilds: Bool = false, keepsOriginal: Bool = false,
        quarantines: Bool = false, inference: ModelInference? = nil, isWritten: Bool = false
    ) throws {
        self.quarantines = quarantines
        let kind = try FileKind(of: url)
        guard let type = kind.storeType else { throw ToolError("\(url.shownPlace) is no store.") }
        self.url = url
        self.type = NSPersistentStore.StoreType(rawValue: type)
        self.configuration = configuration
        let bundle = try ModelBundle(contentsOf: modelURL)
        model = Self.plain(try bundle.document(version: version))
        try model.check()
        if let configuration, model.entitiesOfStore(configuration: configuration) == nil {
            throw ToolError(
                "The model has no configuration '\(configuration)'; it has: \(model.configurations.sorted().list).")
        }
        wantedName = version ?? bundle.currentVersion?.name ?? modelURL.lastPathComponent
        let location = try ReadLocation(of: url, isWritten: isWritten)
        self.location = location
        let mustUndo = isWritten && ReadLocation.mustUndo(location.url)
        let (hashes, cached) = try location.naming { try Self.stored(location.url, type, undoing: mustUndo) }
        storedHashes = hashes
        storedChecksum = VersionDigest.checksum(hashes)
        let versions = BundleVersions(bundle)
        // Hashes of derived attributes differ between frameworks, so the copy in the store is more reliable.
        let stored = versions.writer(of: hashes) ?? (cached == nil ? versions.possibleWriter(of: hashes) : nil)
        storedName = stored?.name
        let source = stored?.model ?? cached.map(Self.plain)
        let inferred =
            try source == nil ? inference.map { try InferredModel(store: url, overlay: $0.overlay) } : nil
        inferredNotes = inferred?.notes
        if inferred != nil, isWritten, !keepsOriginal {
            throw ToolError(
                "The model of \(url.shownPlace) is inferred from its tables, and a part of it may be wrong: keep the "
                    + "store from before with --keep-original.")
        }
        var versionPath = try through.map { Self.plain(try ModelBundle(contentsOf: $0).document(version: nil)) }
        if let mapping {
            guard let contents = NSMappingModel(contentsOf: mapping) else {
                throw ToolError("\(mapping.path) is no compiled mapping model.")
            }
            versionPath += versions.ends(of: contents)
        }
        var options: [AnyHashable: Any] = [
            storeMappingFilesOption: [mapping].compactMap { $0 },
            MigrationOption.versions: [source].compactMap { $0 } + versionPath,
            MigrationOption.allowsLoss: allowsLoss || !through.isEmpty, MigrationOption.rebuilds: rebuilds,
            MigrationOption.keepsOriginal: keepsOriginal, MigrationOption.quarantine: quarantines,
            storeLeavesNoTraceOption: location.isInPlace && !isWritten,
        ]
        options[storeSourceModelOption] = inferred.map { Self.plain($0.document) }
        self.options = options
    }

    /// The version hashes of a store, and the copy of the model that it keeps.
    ///
    /// - Parameter undoing: whether an unfinished transaction is rolled back first; otherwise no file is made or
    ///   changed.
    private static func stored(
        _ url: URL, _ type: String, undoing: Bool
    ) throws -> ([String: Data], ModelDocument?) {
        if type == NSPostgreSQLStoreType {
            PostgreSQLStore.register()
            let metadata = try PostgreSQLStore.metadataForPersistentStore(with: url)
            return (
                metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:],
                try PostgreSQLStore.cachedModel(at: url, options: nil)?.document()
            )
        }
        guard type == NSSQLiteStoreType else {
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
            return (metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:], nil)
        }
        let connection = try Connection(
            url: url, options: .init(access: undoing ? .readWrite : .readOnly, leavesNoTrace: !undoing))
        defer { try? connection.close() }
        let file = try StoreFile(connection, path: url.path)
        return (file.hashes, file.cachedModel)
    }

    static func plain(_ document: ModelDocument) -> NSManagedObjectModel {
        let model = NSManagedObjectModel(document: document)
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }

    /// The entities that differ between the store and the model, as sentences.
    var differences: [String] {
        let entities = model.entities(forConfigurationName: configuration) ?? model.entities
        let wanted = Dictionary(
            entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
        let changed = wanted.filter { name, hash in storedHashes[name].map { $0 != hash } ?? false }
        let lists = [
            ("Changed", changed.keys.sorted()), ("New", wanted.keys.filter { storedHashes[$0] == nil }.sorted()),
            ("No longer there", storedHashes.keys.filter { wanted[$0] == nil }.sorted()),
        ]
        return lists.compactMap { $1.isEmpty ? nil : "\($0): \($1.list)." }
    }
}
