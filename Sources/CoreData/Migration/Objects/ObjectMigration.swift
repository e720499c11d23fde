// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates a store in place by objects: a complete side file replaces the store.

import Foundation

/// # Invariants: Migration-M51 to M54
/// (1) The store is complete at every instant: it is the old one until `replace` puts the new one in its place.
/// (2) A store that another coordinator or process has open, or has changed since it was read, is not replaced.
/// (3) Objects that cannot be migrated are completely written to a separate file before the new store is put in place
/// (Migration-M29).
/// (4) The new store has the identifier and the custom metadata of the old one.
struct ObjectMigration {
    let store: StoreLocation
    let configuration: String?
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    /// nil for an inferred mapping model.
    let mapping: NSMappingModel?
    /// Whether objects that cannot be migrated are moved to a separate store. Migration-M60.
    var quarantines = false
    /// The copy of the old store; nil for no copy.
    var original: KeptOriginal?
    /// Shows the processed objects, and ends the migration if the program cancels it. Migration-M16.
    var progress: Progress?

    private var url: URL { store.url }
    private var options: [AnyHashable: Any]? { store.options }

    /// Reads the store for a plan.
    ///
    /// - Parameter through: the versions between that of the store and the migration, and within the migration.
    func survey(through versions: ForecastVersions = ForecastVersions()) throws -> MigrationSurvey {
        let (source, destination) = try self.versions(store.metadata())
        let end = try MigrationEndpoint(source, store, readOnly: true)
        let size = Int64(StoreFiles.size(url.resolvingSymlinksInPath()))
        let result = Result {
            try MigrationForecast(
                end, before: versions.before, versions.between + [destination], mapping: mapping, size: size
            ).survey()
        }
        try end.close()
        return try result.get()
    }

    /// - Parameter amending: may change the metadata of the new store.
    /// - Returns: the rows of each entity of the destination, by its name.
    /// - Throws: 134090 for a store in use, 134110 for one that changes during the migration, 640 for a disk with too
    ///   little space, and the errors of `NSMigrationManager`. The store is then unchanged.
    @discardableResult
    func run(amending: (inout [String: Any], MigratedRows) -> Void = { _, _ in }) throws -> MigratedRows {
        let storeClass = try StoreRegistry.storeClass(store.type)
        guard storeClass.addressing == .file else {
            throw CoreDataError.migration(.migration, "A store of type \(store.type) has no file to replace.", url: url)
        }
        // Before the first read: everything read below is from this state or a later one.
        let state = try storeClass.unusedState(of: url, options: options)
        let old = try storeClass.metadataForPersistentStore(with: url)
        let (source, destination) = try versions(old)
        // The side file, and its copy that replaces the store.
        let copies: Int64 = 2 + (original == nil ? 0 : 1) + (quarantines ? 1 : 0)
        try MigrationSpace(url: url).require(bytes: copies * Int64(StoreFiles.size(url)))
        let side = try StagedFile(beside: url)
        var left: QuarantinedRows?
        do {
            let origin = StoreReplacement.Side(place: url, options: options)
            let succession = try (storeClass as? any SucceedingStore.Type)?.succession(of: url, source)
            let filled = try fill(
                side.url, unrecorded(options), from: origin, source, destination, following: succession?.keys ?? [])
            var rows = filled.rows
            left = try quarantine(filled.manager, source, old, storeClass)
            rows.quarantined = left
            try succession?.write(to: side.url, destination, filled.manager.state.partners)
            try writeMetadata(old, storeClass, side.url) {
                left?.file?.record(in: &$0)
                amending(&$0, rows)
            }
            try MigrationCancellation.check(progress, url)
            rows.original = original?.url
            try rows.original.map { try storeClass.replace(at: $0, options: nil, from: url) }
            do {
                try storeClass.replace(at: url, options: options, from: side.url, ifStill: state)
            } catch {
                original?.discard()
                throw error
            }
            side.discard()
            rows.quarantine = left?.file?.publish()
            return rows
        } catch {
            side.discard()
            left?.file?.resolve { try storeClass.metadataForPersistentStore(with: url) }
            try MigrationCancellation.check(progress, url)
            throw error
        }
    }

    /// Fills a store with the migrated objects, and counts them.
    private func fill(
        _ place: URL, _ options: [AnyHashable: Any]?, from origin: StoreReplacement.Side,
        _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel, following keys: Set<MigratedKey> = [],
        emptying: @escaping () throws -> Void = {}
    ) throws -> (manager: NSMigrationManager, rows: MigratedRows) {
        let mapping =
            try mapping
            ?? NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        let state = manager.state
        state.countsRows = true
        state.shown = progress
        state.quarantine = quarantines ? ObjectQuarantine() : nil
        state.followed = keys
        state.emptyDestination = emptying
        try manager.migrateStore(
            from: origin.place, sourceType: store.type, options: origin.options, with: mapping, toDestinationURL: place,
            destinationType: store.type, destinationOptions: options)
        let rows = try verified(
            state.rows, ModelPairing(source: source, destination: destination),
            leftOut: state.quarantine?.counts ?? [:])
        return (manager, rows)
    }

    // MARK: Within a database

    /// Fills a second store in the same database, within the transaction that replaces the old one.
    ///
    /// - Parameters:
    ///   - old: the store, or a copy of it.
    ///   - metadata: the metadata of the store.
    /// - Throws: as `run`.
    func fill(_ side: StoreReplacement.Side, from old: StoreReplacement.Side, _ metadata: [String: Any]) throws
        -> MigratedRows
    {
        let (source, destination) = try versions(metadata)
        return try fill(side.place, unrecorded(side.options), from: old, source, destination).rows
    }

    /// Replaces a store in a database.
    ///
    /// - Returns: nil if another opener has migrated the store.
    /// - Throws: as `run`.
    func run(
        in storeClass: any MigratingInPlace.Type, expecting hashes: [String: Data],
        amending: @escaping (inout [String: Any], MigratedRows) -> Void = { _, _ in }
    ) throws -> MigratedRows? {
        let metadata = try storeClass.metadata(at: url, options: options)
        let (source, destination) = try versions(metadata)
        var rows = MigratedRows()
        var left: ObjectQuarantine?
        var replacement = StoreReplacement(
            place: url, options: options, source: source, destination: destination, expected: hashes,
            fill: { old, new in
                let side = try new(0)
                let filled = try fill(
                    side.place, unrecorded(side.options), from: old, source, destination,
                    emptying: { _ = try new(0) })
                (rows, left) = (filled.rows, filled.manager.state.quarantine)
                return 0
            },
            amend: { old, new in
                Self.keep(old, in: &new)
                amending(&new, rows)
            })
        replacement.keepsOriginal = original != nil
        replacement.leftOut = { left?.keys ?? [:] }
        guard let outcome = try storeClass.replace(replacement) else { return nil }
        (rows.original, rows.quarantine) = (outcome.original, outcome.quarantine)
        if let left, !left.isEmpty {
            rows.quarantined = left.rows(in: nil, identifier: metadata[NSStoreUUIDKey] as? String ?? "")
        }
        return rows
    }

    /// The options without a history: a migration is not recorded as a transaction. Full-text indexes and
    /// indexes of values are made afterwards, because that takes a third of the time.
    private func unrecorded(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
        var options = options
        options?[NSPersistentHistoryTrackingKey] = nil
        options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
        options?[NSFullTextIndexOption] = nil
        options?[NSValueIndexOption] = nil
        return options
    }

    /// Writes the objects that could not be migrated to their own store.
    ///
    /// - Returns: nil if every object was migrated.
    private func quarantine(
        _ manager: NSMigrationManager, _ source: NSManagedObjectModel, _ metadata: [String: Any],
        _ storeClass: any RecordStore.Type
    ) throws -> QuarantinedRows? {
        guard let objects = manager.state.quarantine, !objects.isEmpty else { return nil }
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        let file = try QuarantineFile(of: url, checksum: VersionDigestValue.checksum(hashes))
        do {
            if let storeClass = storeClass as? any SucceedingStore.Type {
                try storeClass.writeQuarantine(objects.keys, of: url, source, to: file.url)
            } else {
                try objects.write(from: store, manager.sourceModel, to: file.url)
            }
        } catch {
            file.discard()
            throw error
        }
        return objects.rows(in: file, identifier: metadata[NSStoreUUIDKey] as? String ?? "")
    }

    /// The row counts by the entity names of the destination.
    ///
    /// - Parameter leftOut: the numbers of quarantined objects, by the entity names of the source.
    /// - Throws: 134110 if an inferred mapping model has lost or doubled rows.
    private func verified(
        _ rows: MigratedRows, _ pairing: ModelPairing, leftOut: [String: Int]
    ) throws -> MigratedRows {
        var result = MigratedRows(before: [:], after: rows.after)
        for pair in pairing.entities {
            guard let name = pair.destination?.name, let after = rows.after[name] else { continue }
            let before = pair.source?.name.flatMap { rows.before[$0] } ?? 0
            result.before[name] = before
            let behind = pair.source?.name.flatMap { leftOut[$0] } ?? 0
            guard mapping != nil || before == after + behind else {
                throw CoreDataError.migration(
                    .migration, "\(before) rows of '\(name)' became \(after) rows.", url: store.shown)
            }
        }
        return result
    }

    /// Both models, limited to the entities of the store. Migration-M54.
    private func versions(_ metadata: [String: Any]) throws -> (NSManagedObjectModel, NSManagedObjectModel) {
        let hashes = NSManagedObjectModel.versionHashes(inStoreMetadata: metadata) ?? [:]
        guard let entities = destination.entitiesOfStore(configuration: configuration) else {
            throw CoreDataError.cannotOpenStore(
                url: store.shown, reason: "The model has no configuration '\(configuration ?? "")'.")
        }
        return (
            source.limited(to: { hashes[$0] != nil }),
            destination.limited(to: Set(entities.compactMap(\.name)).contains)
        )
    }

    /// Copies the custom metadata and the identifier to the new store.
    private func writeMetadata(
        _ old: [String: Any], _ storeClass: any RecordStore.Type, _ side: URL,
        _ amending: (inout [String: Any]) -> Void
    ) throws {
        var new = try storeClass.metadataForPersistentStore(with: side)
        Self.keep(old, in: &new)
        amending(&new)
        try storeClass.setMetadata(new, forPersistentStoreAt: side)
    }

    /// Copies the custom entries of the old metadata to those of a new store.
    static func keep(_ old: [String: Any], in new: inout [String: Any]) {
        for (key, value) in old where !ownPrefixes.contains(where: key.hasPrefix) { new[key] = value }
        new[NSStoreUUIDKey] = old[NSStoreUUIDKey]
    }

    /// Keys with these prefixes describe the version; all others belong to the program.
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
