// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces a file atomically: at every moment either the old or the new file is in place, complete.

import Foundation

/// # States
///     open ──write, write──▶ open ──seal──▶ sealed ──commit──▶ done
///       └──────── rollback ─────┴────── rollback ─┘
/// # Invariants: Stores-A4 to A7
/// (1) The target is unchanged until `commit`, which replaces it by one `rename` (or `link`, if there is
/// no target yet).
/// (2) The temporary file is in the folder of the target, and is removed by `commit` and `rollback`.
/// (3) A sealed file is on the disk, with the access rights of the target.
/// (4) The temporary file is locked while it is open, so an unlocked one was left by a dead process.
/// (5) The target is locked from its check to its replacement, so that one of two processes detects the other.
final class FileReplacement {
    let target: URL
    private let temporary: URL
    private var descriptor: Int32
    private var digest = ContentDigest()
    private var hasTemporary = true

    /// - Parameter target: symbolic links are followed, and their destination is replaced.
    /// - Throws: `FileFailure`.
    init(of target: URL) throws {
        let target = target.resolvingSymlinksInPath()
        // A rename would also replace a read-only file.
        if access(target.path, F_OK) == 0, faccessat(AT_FDCWD, target.path, W_OK, AT_EACCESS) != 0 {
            throw FileFailure("access")
        }
        self.target = target
        (temporary, descriptor) = try Self.makeTemporary(beside: target)
    }

    /// (4)
    private static func makeTemporary(beside target: URL) throws -> (URL, Int32) {
        let names = TemporaryNames(of: target)
        while true {
            let temporary = names.folder.appending(path: names.new())
            let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw FileFailure("open") }
            // On file systems without locks, leftover files are never swept.
            _ = flock(descriptor, LOCK_EX)
            var status = stat()
            if fstat(descriptor, &status) != 0 || status.st_nlink > 0 { return (temporary, descriptor) }
            // A sweep removed the file before it was locked.
            close(descriptor)
        }
    }

    /// Removes the temporary files of a target that dead processes have left.
    static func sweep(beside target: URL) {
        let target = target.resolvingSymlinksInPath()
        let names = TemporaryNames(of: target)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: names.folder.path)) ?? []
        where names.contains(name) {
            let path = names.folder.appending(path: name).path
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    deinit { rollback() }

    func write(_ data: Data) throws {
        try FileBytes.write(data, to: descriptor)
        digest.add(data)
    }

    /// (3)
    func seal() throws {
        var status = stat()
        if stat(target.path, &status) == 0 {
            guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw FileFailure("fchmod") }
            // Only root can change the owner of a file.
            if status.st_uid != geteuid() || status.st_gid != getegid() {
                _ = fchown(descriptor, status.st_uid, status.st_gid)
            }
        }
        guard fsync(descriptor) == 0 else { throw FileFailure("fsync") }
    }

    /// Moves the file into place.
    ///
    /// - Parameter known: the file that may be replaced; nil requires a missing or empty file.
    /// - Returns: the stamp of the new file.
    /// - Throws: `FileFailure`; `FileStamp.Changed` when the existing file is not the known one.
    func commit(replacing known: FileStamp?) throws -> FileStamp {
        let lock = FileLock(target)
        defer { lock?.release() }
        if let known {
            try known.check(target)
        } else if let size = FileStamp.size(of: target), size > 0 {
            throw FileStamp.Changed()
        }
        let isNew = known == nil && FileStamp.size(of: target) == nil
        let descriptor = descriptor
        if isNew {
            // Unlike `rename`, `link` fails if another process has created the file.
            guard link(temporary.path, target.path) == 0 else {
                if errno == EEXIST { throw FileStamp.Changed() }
                return try renamed()
            }
            unlink(temporary.path)
        } else {
            return try renamed()
        }
        return try finished(descriptor)
    }

    private func renamed() throws -> FileStamp {
        guard rename(temporary.path, target.path) == 0 else { throw FileFailure("rename") }
        return try finished(descriptor)
    }

    /// The new file is in place, so from here on nothing may fail.
    private func finished(_ descriptor: Int32) throws -> FileStamp {
        hasTemporary = false
        let folder = open(target.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            // File systems that cannot sync folders sync them automatically.
            _ = fsync(folder)
            close(folder)
        }
        let state = FileState(descriptor: descriptor)
        close(descriptor)
        self.descriptor = -1
        return FileStamp(state: state, digest: digest)
    }

    func rollback() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        if hasTemporary { unlink(temporary.path) }
        hasTemporary = false
    }
}
