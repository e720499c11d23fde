// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store in its place by objects: a side file becomes the store when it is complete.

import Foundation

/// # Invariants: MigrationByObjects-20 to 23
/// (1) The store is whole at every instant: the old one, until `replace` puts the new one in its place.
/// (2) A store that somebody else has open, or has changed meanwhile, stays as it is.
/// (3) The new store has the identifier and the program's own metadata of the old one.
struct ObjectMigration {
    let url: URL
    let type: String
    let configuration: String?
    let options: [AnyHashable: Any]?
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    /// nil for an inferred one.
    let mapping: NSMappingModel?

    /// - Throws: 134090 for a store in use, 134110 for one that changes meanwhile, and as `NSMigrationManager`. The
    ///   store is as before.
    func run() throws {
        let storeClass = try StoreRegistry.storeClass(type)
        guard storeClass.addressing == .file else {
            throw CoreDataError.migration(.migration, "A store of type \(type) has no file to replace.", url: url)
        }
        let old = try storeClass.metadataForPersistentStore(with: url)
        let (source, destination) = try versions(old)
        let mapping =
            try mapping
            ?? NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        try requireUnused()
        let state = FileState(of: url)
        let side = try StagedFile(beside: url)
        do {
            try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
                from: url, sourceType: type, options: options, with: mapping, toDestinationURL: side.url,
                destinationType: type, destinationOptions: options)
            try keepMetadata(old, storeClass, side.url)
            guard FileState(of: url) == state, !hasLog else {
                throw CoreDataError.migration(
                    .migration, "Somebody else changed it meanwhile; it is as they left it.", url: url)
            }
            try storeClass.replace(at: url, options: options, from: side.url)
            side.discard()
        } catch {
            side.discard()
            throw error
        }
    }

    /// A lock on the database shows that nobody else has it open, and moves its log into the file.
    private func requireUnused() throws {
        guard type == NSSQLiteStoreType else { return }
        try DatabaseReservation(url, options: options).end()
    }

    private var hasLog: Bool {
        type == NSSQLiteStoreType && StoreFiles.size(URL(filePath: url.resolvingSymlinksInPath().path + "-wal")) > 0
    }

    /// Both models with the entities of the store alone. MigrationByObjects-23.
    private func versions(_ metadata: [String: Any]) throws -> (NSManagedObjectModel, NSManagedObjectModel) {
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let entities = destination.entities(forConfigurationName: configuration) else {
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "The model has no configuration '\(configuration ?? "")'.")
        }
        return (
            source.limited(to: { hashes[$0] != nil }),
            destination.limited(to: Set(entities.compactMap(\.name)).contains)
        )
    }

    private func keepMetadata(_ old: [String: Any], _ storeClass: any RecordStore.Type, _ side: URL) throws {
        var new = try storeClass.metadataForPersistentStore(with: side)
        for (key, value) in old where !Self.ownPrefixes.contains(where: key.hasPrefix) { new[key] = value }
        new[NSStoreUUIDKey] = old[NSStoreUUIDKey]
        try storeClass.setMetadata(new, forPersistentStoreAt: side)
    }

    /// Keys with these prefixes belong to the version, not to the program.
    private static let ownPrefixes = ["NSStore", "NSPersistence", "_NS"]
}

extension NSManagedObjectModel {
    /// The model itself, or a copy with some of its entities.
    fileprivate func limited(to isMember: (String) -> Bool) -> NSManagedObjectModel {
        if entities.allSatisfy({ isMember($0.name ?? "") }) { return self }
        guard let copy = copy() as? NSManagedObjectModel else { return self }
        copy.entities = copy.entities.filter { isMember($0.name ?? "") }
        return copy
    }
}
