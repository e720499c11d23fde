// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Moves, copies and removes the files of stores.

import CRuntime
import Foundation

package enum StoreFiles {
    static let supportEnding = "_SUPPORT"

    /// The folder for large data: `.<name without extension>_SUPPORT`, in the folder of the store's file.
    static func support(of store: URL) -> URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent()
            .appendingPathComponent(".\(name)\(supportEnding)", isDirectory: true)
    }

    /// The first free name for a store of an earlier version in the folder of a store: `<name>.<word>-<8>.<extension>`,
    /// with the first characters of its checksum. The name without the extension is free too, because it names the
    /// folder for large data.
    static func free(beside store: URL, _ word: String, checksum: String) -> URL {
        let suffix = store.pathExtension.isEmpty ? "store" : store.pathExtension
        var number = 1
        while true {
            let stem = store.deletingPathExtension().lastPathComponent
            let name = earlierName(of: stem, word, checksum: checksum, number: number)
            let url = store.deletingLastPathComponent().appendingPathComponent("\(name).\(suffix)")
            if !exists(url), !exists(support(of: url)) { return url }
            number += 1
        }
    }

    /// The name of a store of an earlier version.
    ///
    /// - Parameter number: 1 for the first one of the version.
    package static func earlierName(of store: String, _ word: String, checksum: String, number: Int) -> String {
        let short = checksum.prefix(8).replacing("/", with: "_").replacing("+", with: "-")
        return "\(store).\(word)-\(short)" + (number == 1 ? "" : "-\(number)")
    }

    /// Requires a plain file or none. Devices, pipes and sockets are neither read nor replaced.
    ///
    /// - Throws: 259.
    static func requirePlain(_ url: URL) throws {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return }
        guard ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return }
        throw CoreDataError.cannotOpenStore(
            url: url, .corrupt, reason: "It is no plain file, but a device, a pipe or a socket.")
    }

    static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    /// The size in bytes; 0 if the file does not exist.
    static func size(_ url: URL) -> Int {
        var status = stat()
        return stat(url.path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Renames a finished file into place and atomically replaces the previous one.
    ///
    /// - Throws: a Cocoa error with the error of the file system.
    static func put(_ finished: URL, at url: URL) throws {
        guard rename(finished.path, url.path) == 0 else { throw failure(errno, url) }
        sync(url.deletingLastPathComponent())
    }

    /// Renames a finished file to an unused URL. An empty file counts as unused, because destroying a store leaves one.
    ///
    /// - Throws: 516 if another process has created a store there, or a Cocoa error with the error of the file system.
    static func putNew(_ finished: URL, at url: URL) throws {
        try requireFree(url)
        if exists(url) { return try put(finished, at: url) }
        if ocd_rename_new(finished.path, url.path) != 0 {
            throw errno == EEXIST ? CoreDataError.storeExists(url) : failure(errno, url)
        }
        sync(url.deletingLastPathComponent())
    }

    /// Requires a missing or empty file.
    ///
    /// - Throws: 516.
    static func requireFree(_ url: URL) throws {
        if size(url) > 0 { throw CoreDataError.storeExists(url) }
    }

    /// Copies a file completely or not at all.
    ///
    /// - Parameter state: the state of the destination file, which is replaced only if it is still in this state.
    static func copy(_ source: URL, to url: URL, ifStill state: StoreState? = nil) throws {
        let place = try StagedFile(beside: url)
        let half = place.url
        do {
            try FileManager.default.copyItem(at: source, to: half)
            sync(half)
            // A save of an atomic store takes this lock as well.
            let lock = FileLock(url)
            defer { lock?.release() }
            try state?.require(url)
            try put(half, at: url)
        } catch {
            place.discard()
            throw error
        }
    }

    /// Truncates a file in one step, without opening it: closing a file releases all locks that the process has on it.
    static func empty(_ url: URL) throws {
        guard truncate(url.path, 0) == 0 else { throw failure(errno, url) }
    }

    /// Removes a file or folder if it exists.
    static func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }

    /// Removes a folder if it is empty.
    static func removeIfEmpty(_ folder: URL) { rmdir(folder.path) }

    /// Syncs a file, or the entries of a folder, to the disk. Does nothing on file systems without sync.
    static func sync(_ url: URL) {
        let descriptor = open(url.path, O_RDONLY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    static func failure(_ number: Int32, _ url: URL) -> NSError {
        let failure: CoreDataError.OpenFailure =
            switch number {
            case ENOENT: .noSuchFile
            case EACCES, EPERM, EROFS: .noWritePermission
            case ENOSPC, EDQUOT: .outOfSpace
            default: .other
            }
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        return CoreDataError.cannotChangeStore(
            url: url, failure, reason: String(cString: strerror(number)) + ".", underlying: cause)
    }
}
