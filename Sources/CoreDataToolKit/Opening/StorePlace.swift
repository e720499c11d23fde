// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Where a store is read from: its own place, or a copy where reading would leave traces beside it.

package import Foundation

/// A place from which a store can be read without changing anything beside it. The copy, if one was made, goes with it.
package final class StorePlace: Sendable {
    /// The file to open.
    package let url: URL
    private let folder: URL?

    /// - Parameter isWritten: the store itself is to be changed, so there is no copy.
    /// - Throws: what the file system says when the copy cannot be made.
    package init(of original: URL, isWAL: Bool, isWritten: Bool) throws {
        let original = original.resolvingSymlinksInPath()
        guard !isWritten, Self.needsCopy(original, isWAL: isWAL) else {
            url = original
            folder = nil
            return
        }
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("coredata-tool-\(UUID().uuidString)")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appendingPathComponent(original.lastPathComponent)
        do {
            for suffix in ["", "-wal", "-journal"] where manager.fileExists(atPath: original.path + suffix) {
                try manager.copyItem(atPath: original.path + suffix, toPath: copy.path + suffix)
                // A copy of what may only be read may only be read as well, and SQLite could not work off its log.
                try? manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
            }
            let support = ".\(original.deletingPathExtension().lastPathComponent)_SUPPORT"
            let files = original.deletingLastPathComponent().appendingPathComponent(support)
            if manager.fileExists(atPath: files.path) {
                try manager.createSymbolicLink(at: folder.appendingPathComponent(support), withDestinationURL: files)
            }
        } catch {
            try? manager.removeItem(at: folder)
            throw error
        }
        url = copy
        self.folder = folder
    }

    deinit {
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// SQLite makes files beside a database in WAL mode even to read it, and cannot read one with a log where it may not.
    private static func needsCopy(_ url: URL, isWAL: Bool) -> Bool {
        let manager = FileManager.default
        func has(_ suffix: String) -> Bool {
            let size = try? manager.attributesOfItem(atPath: url.path + suffix)[.size] as? NSNumber
            return (size?.int64Value ?? 0) > 0
        }
        guard isWAL || has("-journal") else { return false }
        // A program has it open: files copied one after the other might not fit, and SQLite has all it needs there.
        let isInUse = has("-shm") && has("-wal")
        return
            !(isInUse && manager.isWritableFile(atPath: url.deletingLastPathComponent().path)
            && manager.isWritableFile(atPath: url.path + "-shm"))
    }
}
