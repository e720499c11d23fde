// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes and syncs whole files, with the access rights of the store to which they belong.

import Foundation

/// The only loop that writes files. `Data.write(to:)` of Foundation repeats the start of its buffer after a short
/// write, and the system writes at most 2 GiB in one call.
enum FileBytes {
    /// - Throws: `FileFailure`.
    static func write(_ data: Data, to descriptor: Int32) throws {
        try write(data) { systemWrite(descriptor, $0, $1) }
    }

    /// - Parameter call: writes part of the given bytes and returns how many; a negative result means
    ///   failure, with `errno`.
    /// - Throws: `FileFailure`.
    static func write(_ data: Data, by call: (UnsafeRawPointer, Int) -> Int) throws {
        try data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while start < bytes.count {
                let count = call(base + start, bytes.count - start)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw FileFailure("write") }
                start += count
            }
        }
    }

    /// Creates a new file.
    ///
    /// - Throws: `FileFailure`, after removing the partly written file.
    static func make(_ url: URL, _ data: Data, _ access: FileAccess) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, access.mode)
        guard descriptor >= 0 else { throw FileFailure("open") }
        do {
            access.apply(to: descriptor)
            try write(data, to: descriptor)
            close(descriptor)
        } catch {
            close(descriptor)
            unlink(url.path)
            throw error
        }
    }

    /// Syncs a file, or the entries of a folder, to the disk.
    ///
    /// - Throws: `FileFailure`. A file system that cannot sync such files is not a failure: it syncs them
    ///   automatically.
    static func sync(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A folder can be writable but not listable.
            if errno == EACCES { return }
            throw FileFailure("open")
        }
        defer { close(descriptor) }
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOTSUP, EROFS: return
            default: throw FileFailure("fsync")
            }
        }
    }
}

/// A file that is kept open. Closing it would release all locks that the process has on it.
final class OpenFile {
    private let descriptor: Int32

    /// nil when the file cannot be opened.
    init?(_ url: URL) {
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Syncs the file to the disk, where the file system supports it.
    func sync() { fsync(descriptor) }
}

/// Owner and permissions of a file, applied to its companion files.
struct FileAccess {
    /// The permission bits for reading and writing.
    let mode: mode_t
    private let owner: (user: uid_t, group: gid_t)?

    /// The access rights of an existing file; otherwise the default rights of a new file.
    init(of url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            mode = 0o666
            owner = nil
            return
        }
        // The owner must be able to write the companion files.
        mode = status.st_mode & 0o666 | 0o600
        owner = (status.st_uid, status.st_gid)
    }

    /// Whether the rights come from an existing file. Such rights ignore the process's umask.
    private var isKnown: Bool { owner != nil }

    func apply(to descriptor: Int32) {
        guard isKnown else { return }
        fchmod(descriptor, mode)
        // Only root can change the owner of a file.
        if let owner, geteuid() == 0, owner.user != 0 || owner.group != getegid() {
            _ = fchown(descriptor, owner.user, owner.group)
        }
    }

    /// Creates a folder and its parents, with access for the users of the file.
    ///
    /// - Returns: the topmost new folder; nil if all existed.
    /// - Throws: `FileFailure`.
    @discardableResult
    func makeFolder(_ url: URL) throws -> URL? {
        if mkdir(url.path, 0o777) == 0 {
            adopt(url)
            return url
        }
        switch errno {
        case EEXIST: return nil
        case ENOENT:
            let parent = url.deletingLastPathComponent()
            guard parent.path != url.path else { throw FileFailure("mkdir") }
            let first = try makeFolder(parent)
            guard mkdir(url.path, 0o777) == 0 || errno == EEXIST else { throw FileFailure("mkdir") }
            adopt(url)
            return first ?? url
        default: throw FileFailure("mkdir")
        }
    }

    private func adopt(_ folder: URL) {
        guard isKnown else { return }
        chmod(folder.path, mode | (mode & 0o444) >> 2)
        if let owner, geteuid() == 0, owner.user != 0 || owner.group != getegid() {
            _ = chown(folder.path, owner.user, owner.group)
        }
    }
}

/// The system's `write`, which a method of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
