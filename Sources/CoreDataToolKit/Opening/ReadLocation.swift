// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The location for reading a store: its own location, or a copy if reading would change the file.

package import Foundation
import SQLiteDriver

/// A location for reading a store without changing any file next to it.
///
/// This is the store's own location, read with `storeLeavesNoTraceOption`. Only a database with the journal of an
/// unfinished transaction is copied, because SQLite must roll that transaction back before reading. The copy is removed
/// with this object, and when a signal ends the program.
package final class ReadLocation: Sendable {
    /// The file to open.
    package let url: URL
    /// The location given by the user.
    private let original: URL
    private let copies: [String]

    /// - Parameter isWritten: whether the store itself will be changed, so that there is no copy.
    /// - Throws: errors of the file system while copying.
    package init(of original: URL, isWritten: Bool) throws {
        self.original = original
        if original.isServer {
            url = original
            copies = []
            return
        }
        let store = original.resolvingSymlinksInPath()
        guard !isWritten, Self.mustUndo(store) else {
            url = store
            copies = []
            return
        }
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("coredata-tool-\(UUID().uuidString)")
        let copy = folder.appendingPathComponent(store.lastPathComponent)
        let support = ".\(store.deletingPathExtension().lastPathComponent)_SUPPORT"
        let files = store.deletingLastPathComponent().appendingPathComponent(support)
        let links = manager.fileExists(atPath: files.path) ? [folder.appendingPathComponent(support).path] : []
        // SQLite deletes the journal and may leave a log.
        copies = ["", "-journal", "-wal", "-shm"].map { copy.path + $0 } + links + [folder.path]
        copies.forEach(SignalCleanUp.add)
        url = copy
        do {
            try manager.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            // Studio-E8: only the database has locks that another descriptor would release.
            try DatabaseBytes(path: store.path).copy(to: copy)
            for suffix in ["-wal", "-journal"] where manager.fileExists(atPath: store.path + suffix) {
                try manager.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
                // The copy of a read-only file is read-only, and SQLite could not roll back.
                try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
            }
            for link in links {
                try manager.createSymbolicLink(at: URL(fileURLWithPath: link), withDestinationURL: files)
            }
            try Connection(url: copy, options: .init(access: .readWrite)).close()
        } catch {
            Self.discard(copies)
            throw error
        }
    }

    deinit { Self.discard(copies) }

    /// Whether `url` is the store itself.
    package var isInPlace: Bool { copies.isEmpty }

    /// Calls a body with errors that may name the copy, or the destination of a symbolic link.
    ///
    /// - Parameter passes: whether an error is thrown as it is.
    /// - Throws: `ToolError` with the location given by the user.
    package func naming<Result>(
        passing passes: (any Error) -> Bool = { $0 is OutputFailure }, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch  where passes(error) {
            throw error
        } catch {
            let text = ToolError.text(of: error)
            throw ToolError(url.path == original.path ? text : text.replacing(url.path, with: original.path))
        }
    }

    /// The size of a file in bytes; 0 if it does not exist.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func discard(_ copies: [String]) {
        guard let folder = copies.last else { return }
        try? FileManager.default.removeItem(atPath: folder)
        copies.forEach(SignalCleanUp.remove)
    }

    /// Whether a dead program left an unfinished transaction (`SQLITE_READONLY_ROLLBACK`). The journal of a running
    /// program is protected by SQLite's locks.
    static func mustUndo(_ store: URL) -> Bool {
        guard FileManager.default.fileExists(atPath: store.path + "-journal") else { return false }
        do {
            try Connection(url: store, options: .init(access: .readOnly, leavesNoTrace: true)).close()
            return false
        } catch {
            return error.extendedCode == 776
        }
    }
}
