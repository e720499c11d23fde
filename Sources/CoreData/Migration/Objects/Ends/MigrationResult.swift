// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The new store of a migration by objects: a file next to the destination, put in place when it is complete.

import Foundation

/// # Invariants: Migration-M33 and M34
/// (1) Until `putInPlace()` the destination is unchanged: the work goes into a staged file. An existing store is copied
/// first, and the objects are added to the copy (`WorkingCopy`).
/// (2) If the process dies, the next opening of a store in the same folder removes the staged file (Stores-K25).
final class MigrationResult {
    private let destination: StoreLocation
    private let storeClass: any RecordStore.Type
    /// nil for stores without a file URL: only their class knows where the data is.
    private let staged: StagedFile?
    /// A copy of the store at the destination with the new objects; nil if the destination did not exist.
    private let addition: WorkingCopy?
    private var isDone = false

    /// - Throws: 134160.
    init(_ destination: StoreLocation, apartFrom source: URL) throws {
        self.destination = destination
        do {
            storeClass = try StoreRegistry.storeClass(destination.type)
            try Self.requireUsable(destination, storeClass, source)
            let isFile = storeClass.addressing == .file
            let isAddition = isFile && StoreFiles.exists(destination.url) && StoreFiles.size(destination.url) > 0
            let staged = isFile ? try StagedFile(beside: destination.url) : nil
            self.staged = staged
            addition = try staged.flatMap { staged in
                try isAddition
                    ? WorkingCopy(
                        of: destination.url, at: staged.url, type: destination.type, options: destination.options) : nil
            }
        } catch {
            throw Self.unusable(destination.shown, error)
        }
    }

    private static func requireUsable(
        _ destination: StoreLocation, _ storeClass: any RecordStore.Type, _ source: URL
    ) throws {
        let url = destination.url
        guard storeClass.addressing != .none, url.path != "/dev/null" else {
            throw CoreDataError.cannotChangeStore(url: url, reason: "A store in memory does not outlive the migration.")
        }
        guard storeClass.addressing != .file || url.isFileURL else {
            throw CoreDataError.cannotChangeStore(url: url, reason: "Only file URLs can be opened.")
        }
        let (one, other) = (url.resolvingSymlinksInPath(), source.resolvingSymlinksInPath())
        guard one.standardizedFileURL != other.standardizedFileURL else {
            throw CoreDataError.cannotChangeStore(url: destination.shown, reason: "The destination is the source.")
        }
        if storeClass.addressing == .file { try StoreFiles.requirePlain(url) }
    }

    private static func unusable(_ url: URL, _ error: any Error) -> NSError {
        CoreDataError.unusable(
            .migrationManagerDestinationStore, url, "The destination cannot be made.", underlying: error)
    }

    /// Opens the staged file.
    ///
    /// - Parameter nullifies: see `MigrationEndpoint`.
    func open(_ model: NSManagedObjectModel, nullifies: Bool) throws -> MigrationEndpoint {
        var place = destination
        if let staged { place.url = staged.url }
        do {
            let end = try MigrationEndpoint(model, place, readOnly: false, nullifies: nullifies)
            if staged != nil, addition == nil { try end.putOffIndexes() }
            return end
        } catch {
            throw Self.unusable(destination.shown, error)
        }
    }

    /// Moves the complete and closed file to the destination.
    func putInPlace() throws {
        guard let staged else { return }
        do {
            if let addition {
                try addition.putInPlace()
                staged.discard()
            } else {
                // Another process may have created a store here; keep its WAL file.
                try StoreFiles.requireFree(destination.url)
                removeOldLog()
                try storeClass.move(staged.url, to: destination.url)
            }
        } catch {
            throw Self.unusable(destination.shown, error)
        }
        isDone = true
    }

    /// A leftover WAL without its database must not be applied to the new one. Migration-M35.
    private func removeOldLog() {
        guard destination.type == NSSQLiteStoreType else { return }
        let path = destination.url.resolvingSymlinksInPath().path
        for suffix in ["-wal", "-shm", "-journal"] { StoreFiles.remove(URL(filePath: path + suffix)) }
    }

    /// Removes the unfinished result.
    func discard() {
        if !isDone { staged?.discard() }
    }
}
