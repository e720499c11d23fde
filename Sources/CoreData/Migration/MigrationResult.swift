// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The new store of a migration by objects: a file beside the destination, put in place when it is complete.

import Foundation

/// # Invariants: MigrationByObjects-2 and 3
/// (1) Until `putInPlace()` the destination is as it was: the work goes into a staged file. A store that is there is
/// copied first, and the objects are added to the copy (`WorkingCopy`).
/// (2) A staged file that its process left is removed by the next opening of a store beside it (Stores-K25).
final class MigrationResult {
    private let destination: StoreLocation
    private let storeClass: any RecordStore.Type
    /// nil for stores without a file URL: their class alone knows the place.
    private let staged: StagedFile?
    /// The store at the destination with the new objects; nil where there was none.
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

    /// Opens the file that the work goes into.
    ///
    /// - Parameter nullifies: as of `MigrationEndpoint`.
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

    /// Puts the complete and closed file in the place of the destination.
    func putInPlace() throws {
        guard let staged else { return }
        do {
            if let addition {
                try addition.putInPlace()
                staged.discard()
            } else {
                // The log of a store that somebody has made there meanwhile is theirs.
                try StoreFiles.requireFree(destination.url)
                removeOldLog()
                try storeClass.move(staged.url, to: destination.url)
            }
        } catch {
            throw Self.unusable(destination.shown, error)
        }
        isDone = true
    }

    /// A log without its database must not meet the new one. MigrationByObjects-4.
    private func removeOldLog() {
        guard destination.type == NSSQLiteStoreType else { return }
        let path = destination.url.resolvingSymlinksInPath().path
        for suffix in ["-wal", "-shm", "-journal"] { StoreFiles.remove(URL(filePath: path + suffix)) }
    }

    /// Removes what there is of the result.
    func discard() {
        if !isDone { staged?.discard() }
    }
}
