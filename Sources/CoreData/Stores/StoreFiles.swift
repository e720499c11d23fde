// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files of stores as files: put in their place whole, copied, taken away.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

enum StoreFiles {
    /// `.<name without extension>_SUPPORT` beside a store's file, for large data.
    static func support(of store: URL) -> URL {
        store.deletingLastPathComponent()
            .appendingPathComponent(".\(store.deletingPathExtension().lastPathComponent)_SUPPORT", isDirectory: true)
    }

    /// A store is a plain file, or nothing yet: a device, a pipe or a socket is neither read nor replaced.
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

    /// In bytes; 0 where there is none.
    static func size(_ url: URL) -> Int {
        var status = stat()
        return stat(url.path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Renames a finished file to where it belongs. What was there is replaced in the same step.
    ///
    /// - Throws: a Cocoa error that says what the file system refused.
    static func put(_ finished: URL, at url: URL) throws {
        guard rename(finished.path, url.path) == 0 else { throw failure(errno, url) }
        settle(url.deletingLastPathComponent())
    }

    /// Copies a file whole, or not at all.
    static func copy(_ source: URL, to url: URL) throws {
        let place = try HalfMade(beside: url)
        let half = place.url
        do {
            try FileManager.default.copyItem(at: source, to: half)
            settle(half)
            try put(half, at: url)
        } catch {
            place.discard()
            throw error
        }
    }

    /// Makes a file empty, in one step, without opening it: closing a file gives up all locks that the process has on
    /// it.
    static func empty(_ url: URL) throws {
        guard truncate(url.path, 0) == 0 else { throw failure(errno, url) }
    }

    /// Takes away what may be there.
    static func remove(_ url: URL) { try? FileManager.default.removeItem(at: url) }

    /// Takes a folder away that has nothing in it.
    static func removeIfEmpty(_ folder: URL) { rmdir(folder.path) }

    /// Sees to it that a file, or the names in a folder, outlive a power failure. Some file systems cannot: then this
    /// does nothing.
    static func settle(_ url: URL) {
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
