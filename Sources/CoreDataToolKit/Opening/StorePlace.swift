// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Where a store is read from: its own place, or a copy where reading would have to change it.

package import Foundation
import SQLiteDriver

/// A place from which a store can be read without changing anything beside it.
///
/// That is the store's own place, read as `storeLeavesNoTraceOption` says. Only a database with the journal of a
/// transaction that was not finished is copied: SQLite must undo that transaction before anybody can read. The copy
/// goes with this object, and with the program when a signal ends it.
package final class StorePlace: Sendable {
    /// The file to open.
    package let url: URL
    /// The file that was asked for.
    private let original: URL
    private let copies: [String]

    /// - Parameter isWritten: the store itself is to be changed, so there is no copy.
    /// - Throws: what the file system says when the copy cannot be made.
    package init(of original: URL, isWritten: Bool) throws {
        self.original = original
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
        // SQLite deletes the journal, and may leave a log.
        copies = ["", "-journal", "-wal", "-shm"].map { copy.path + $0 } + links + [folder.path]
        copies.forEach(SignalCleanUp.add)
        url = copy
        do {
            try manager.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for suffix in ["", "-wal", "-journal"] where manager.fileExists(atPath: store.path + suffix) {
                try manager.copyItem(atPath: store.path + suffix, toPath: copy.path + suffix)
                // A copy of a file that may only be read may only be read as well, and SQLite could not undo anything
                // in it.
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

    /// Runs a body whose errors may name the copy, or the file that a link leads to.
    ///
    /// - Throws: `ToolError` that names the file that was asked for.
    package func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as OutputFailure {
            throw failure
        } catch {
            let text = ToolError.text(of: error)
            throw ToolError(url.path == original.path ? text : text.replacing(url.path, with: original.path))
        }
    }

    private static func discard(_ copies: [String]) {
        guard let folder = copies.last else { return }
        try? FileManager.default.removeItem(atPath: folder)
        copies.forEach(SignalCleanUp.remove)
    }

    /// Whether a transaction was left unfinished by a program that is gone (`SQLITE_READONLY_ROLLBACK`). The journal of
    /// a program that is at work is left to SQLite's locks.
    private static func mustUndo(_ store: URL) -> Bool {
        guard FileManager.default.fileExists(atPath: store.path + "-journal") else { return false }
        do {
            try Connection(url: store, options: .init(access: .readOnly, leavesNoTrace: true)).close()
            return false
        } catch {
            return error.extendedCode == 776
        }
    }
}
