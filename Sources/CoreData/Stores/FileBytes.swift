// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes all bytes of a file, however many calls that takes.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The one loop that writes files. `Data.write(to:)` of Foundation writes the start of its buffer again after a short
/// write, and the system writes at most 2 GiB in one call.
enum FileBytes {
    /// - Throws: `FileFailure`.
    static func write(_ data: Data, to descriptor: Int32) throws {
        try write(data) { systemWrite(descriptor, $0, $1) }
    }

    /// - Parameter call: writes a part of the bytes it is given and returns how many; negative, with `errno`, when it
    ///   fails.
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

    /// Makes a new file.
    ///
    /// - Throws: `FileFailure`; what was written is removed.
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

    /// Puts the bytes of a file, or the names in a folder, on the disk.
    ///
    /// - Throws: `FileFailure`. A file system that cannot sync such a file is no failure: it syncs on its own.
    static func sync(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A folder may be one to write in and not to list.
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

/// A file that is held open: closing it gives up all locks that the process has on it.
final class OpenFile {
    private let descriptor: Int32

    /// nil when it cannot be opened.
    init?(_ url: URL) {
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Puts its bytes on the disk, where that can be done.
    func sync() { fsync(descriptor) }
}

/// Who may read and write a file, for the files that lie beside it.
struct FileAccess {
    /// The rights to read and write.
    let mode: mode_t
    private let owner: (user: uid_t, group: gid_t)?

    /// The rights of a file; those of any new file where there is none.
    init(of url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            mode = 0o666
            owner = nil
            return
        }
        // Whoever has files of their own beside it writes them.
        mode = status.st_mode & 0o666 | 0o600
        owner = (status.st_uid, status.st_gid)
    }

    /// Whether the rights are those of a file that is there, which the process's mask for new files does not limit.
    private var isKnown: Bool { owner != nil }

    func apply(to descriptor: Int32) {
        guard isKnown else { return }
        fchmod(descriptor, mode)
        // Only root can give a file away.
        if let owner, geteuid() == 0, owner.user != 0 || owner.group != getegid() {
            _ = fchown(descriptor, owner.user, owner.group)
        }
    }

    /// Makes a folder, and those above it, for whoever may use the file.
    ///
    /// - Returns: the folder that is new and nearest to the root; nil where all were there.
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

/// The system's `write`, which a method of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
