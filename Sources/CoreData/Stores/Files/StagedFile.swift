// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A temporary file next to a store, renamed into place when complete, and removed later if its process dies.

import CoreDataModelFiles
import Foundation

/// Its name is `.<UUID>.half` unless the caller gives another form. No other code uses such names.
///
/// # Invariants: Stores-K25
/// (1) As long as the object lives, `.<UUID>.half-lock` exists and is locked. An unlocked lock file comes from a
/// process that died: the sweep removes the temporary file, then the lock file.
/// (2) The temporary file is removed before its lock file. If it cannot be removed, both stay until a sweep removes
/// them.
/// (3) The lock is on a separate file, because closing the temporary file would release SQLite's locks on it.
final class StagedFile {
    private static let suffix = ".half"
    static let lockSuffix = suffix + lockEnding
    private static let lockEnding = "-lock"

    let url: URL
    private let lock: URL
    private let descriptor: Int32

    /// - Parameters:
    ///   - prefix: the beginning of its name.
    ///   - suffix: the end of its name. Files with another one are not swept.
    /// - Throws: a Cocoa error when the folder is not writable.
    init(beside target: URL, prefix: String = ".", suffix: String = StagedFile.suffix) throws {
        let folder = target.deletingLastPathComponent()
        while true {
            let name = prefix + UUID().uuidString + suffix
            let lock = folder.appendingPathComponent(name + Self.lockEnding)
            let descriptor = open(lock.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw StoreFiles.failure(errno, target) }
            // On file systems without locks, leftover files are never swept.
            _ = flock(descriptor, LOCK_EX)
            var status = stat()
            // A sweep may have removed the file before it was locked.
            guard fstat(descriptor, &status) != 0 || status.st_nlink > 0 else {
                close(descriptor)
                continue
            }
            url = folder.appendingPathComponent(name)
            self.lock = lock
            self.descriptor = descriptor
            return
        }
    }

    deinit {
        // A file that could not be removed keeps its lock file, so that a later sweep finds it.
        if !Self.exists(url) { unlink(lock.path) }
        close(descriptor)
    }

    private static func exists(_ half: URL) -> Bool {
        let files = ["", "-journal", "-wal", "-shm"].map { half.path + $0 }
        return (files + [StoreFiles.support(of: half).path]).contains { access($0, F_OK) == 0 }
    }

    /// Removes the temporary file, the companion files of a database, and its folder of large data.
    func discard() { Self.discard(url) }

    static func discard(_ url: URL) {
        for suffix in ["", "-journal", "-wal", "-shm"] { StoreFiles.remove(URL(filePath: url.path + suffix)) }
        StoreFiles.remove(StoreFiles.support(of: url))
        // Includes the temporary files that an atomic store writes for its file.
        let folder = url.deletingLastPathComponent()
        let temporary = TemporaryNames(of: url)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where temporary.contains(name) {
            StoreFiles.remove(folder.appendingPathComponent(name))
        }
    }

    /// A lock file without a temporary file, which the sweep removes if its process died. Its UUID is a digest of store
    /// and purpose: other stores in the folder, and other purposes, do not wait for it.
    static func lockFile(beside store: URL, for purpose: String) -> URL {
        let store = store.resolvingSymlinksInPath()
        let digest = SHA2.sha256(Data("\(purpose) \(store.lastPathComponent)".utf8))
        let number = UUID(uuid: digest.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        return store.deletingLastPathComponent().appendingPathComponent("." + number.uuidString + lockSuffix)
    }

    /// Removes the temporary files in the folder of a store that dead processes have left.
    static func sweep(beside target: URL) {
        let folder = target.resolvingSymlinksInPath().deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for half in Set(names.compactMap(half)) { whenAbandoned(folder.appendingPathComponent(half), discard) }
    }

    /// The name of the temporary file to which a file or folder belongs: itself, its lock file, a companion file or the
    /// folder of large data of a database, a temporary file of an atomic store. A power failure may keep any of them
    /// and lose the name of the lock file. Nil for other names.
    private static func half(of name: String) -> String? {
        var half = TemporaryNames.target(of: name) ?? name
        if let ending = [lockEnding, "-journal", "-wal", "-shm"].first(where: half.hasSuffix) {
            half.removeLast(ending.count)
        } else if half.hasPrefix(".."), half.hasSuffix(StoreFiles.supportEnding) {
            half = half.dropFirst().dropLast(StoreFiles.supportEnding.count) + suffix
        }
        guard half.hasPrefix("."), half.hasSuffix(suffix),
            UUID(uuidString: String(half.dropFirst().dropLast(suffix.count))) != nil
        else { return nil }
        return half
    }

    /// Whether a folder contains a temporary file that is in use or could not be removed.
    static func isLeft(in folder: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.contains { $0.hasPrefix(".") && $0.hasSuffix(lockSuffix) }
    }

    /// Calls the body with a staged file whose process died, and removes its lock afterwards. A file without a lock
    /// belongs to a dead process.
    static func whenAbandoned(_ url: URL, _ body: (URL) -> Void) {
        let lock = url.path + lockEnding
        let descriptor = open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { body(url) }
            return
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
            body(url)
            if !exists(url) { unlink(lock) }
        }
        close(descriptor)
    }

    /// The staged files of a form in the folder of a store, and those of which only the lock is left.
    static func names(beside target: URL, prefix: String, suffix: String) -> Set<String> {
        let folder = target.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Set(
            names.compactMap { name in
                let stem = name.hasSuffix(lockEnding) ? String(name.dropLast(lockEnding.count)) : name
                guard stem.hasPrefix(prefix), stem.hasSuffix(suffix),
                    UUID(uuidString: String(stem.dropFirst(prefix.count).dropLast(suffix.count))) != nil
                else { return nil }
                return stem
            })
    }
}
