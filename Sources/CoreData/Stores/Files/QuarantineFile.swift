// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store of the rows that a migration could not bring over: written under a hidden name, published after the commit.

import Foundation

/// # States: Migration-M29
///     writing, locked ──complete, synced──▶ ready ──commit with its record──▶ recorded ──publish──▶ under its name
///          │                                  │
///          └── a failure, or a dead process ──┴──▶ removed by the migration, or by the next opening of the store
/// The hidden name is `.<store>.<UUID>.quarantine`. A file under the final name always belongs to a migration that was
/// committed.
final class QuarantineFile {
    /// Metadata key of a store: maps the hidden name of each quarantine to its final name.
    static let recordKey = "OpenCoreDataQuarantine"
    private static let suffix = ".quarantine"

    /// The hidden name.
    var url: URL { staged.url }
    private let place: URL
    private let staged: StagedFile

    /// - Parameter checksum: the checksum of the version of the rows.
    /// - Throws: a Cocoa error when the folder is not writable.
    init(of store: URL, checksum: String) throws {
        let store = store.resolvingSymlinksInPath()
        place = StoreFiles.free(beside: store, "quarantine", checksum: checksum)
        staged = try StagedFile(beside: store, prefix: Self.prefix(store), suffix: Self.suffix)
    }

    private static func prefix(_ store: URL) -> String { ".\(store.lastPathComponent)." }

    /// Adds the names to the metadata that the migration commits, and removes those of published quarantines.
    func record(in metadata: inout [String: Any]) {
        let folder = url.deletingLastPathComponent()
        var names = metadata[Self.recordKey] as? [String: String] ?? [:]
        names = names.filter { StoreFiles.exists(folder.appendingPathComponent($0.key)) }
        names[url.lastPathComponent] = place.lastPathComponent
        metadata[Self.recordKey] = names
    }

    /// Gives a file with a committed record its final name.
    ///
    /// - Returns: the URL of the file, still hidden if it could not be renamed. The next opening tries again.
    func publish() -> URL {
        do {
            try Self.publish(url, at: place)
            return place
        } catch {
            return url
        }
    }

    func discard() { staged.discard() }

    /// Called after a failed migration. Its commit may be durable in spite of the error, so the metadata of the store
    /// decide.
    ///
    /// - Parameter metadata: reads the metadata of the store. If that fails, the next opening decides.
    func resolve(metadata: () throws -> [String: Any]) {
        guard let values = try? metadata() else { return }
        let isRecorded = (values[Self.recordKey] as? [String: String])?[url.lastPathComponent] != nil
        if isRecorded { _ = publish() } else { discard() }
    }

    /// The folder of large data is moved first: as long as the hidden file exists, a later call can continue.
    private static func publish(_ url: URL, at place: URL) throws {
        guard !StoreFiles.exists(place) else { throw StoreFiles.failure(EEXIST, place) }
        let (folder, target) = (StoreFiles.support(of: url), StoreFiles.support(of: place))
        if StoreFiles.exists(folder) {
            guard !StoreFiles.exists(target) else { throw StoreFiles.failure(EEXIST, target) }
            try StoreFiles.put(folder, at: target)
        }
        try StoreFiles.put(url, at: place)
    }

    /// Publishes the quarantines of committed migrations whose process died, and removes all others.
    ///
    /// - Parameters:
    ///   - store: a store that is being opened for writing.
    ///   - metadata: reads the metadata. Called while the dead process's lock is held, so that it can no longer commit.
    static func settle(of store: URL, metadata: () throws -> [String: Any]) {
        let store = store.resolvingSymlinksInPath()
        let folder = store.deletingLastPathComponent()
        for name in StagedFile.names(beside: store, prefix: prefix(store), suffix: suffix) {
            StagedFile.whenAbandoned(folder.appendingPathComponent(name)) { url in
                guard let values = try? metadata() else { return }
                guard let final = (values[recordKey] as? [String: String])?[name] else {
                    StagedFile.discard(url)
                    return
                }
                // Only a plain file name may become part of a path.
                guard StoreFiles.exists(url), !final.contains("/"), !final.isEmpty else { return }
                try? publish(url, at: folder.appendingPathComponent(final))
            }
        }
    }
}
