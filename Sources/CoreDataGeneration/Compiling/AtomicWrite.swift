// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes files and folders atomically, so that a reader never sees a partial one.

package import Foundation

/// Writes a temporary file, then renames it. An unchanged file is not touched, so that nothing is rebuilt.
package enum AtomicWrite {
    /// - Returns: whether the file was written.
    /// - Throws: errors of the file system; the old file then remains.
    @discardableResult package static func file(_ data: Data, to url: URL) throws -> Bool {
        if let old = try? Data(contentsOf: url), old == data { return false }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let fresh = url.deletingLastPathComponent().appendingPathComponent(
            ".\(url.lastPathComponent.prefix(200))-\(UUID().uuidString)")
        do {
            try bytes(data, to: fresh)
            guard rename(fresh.path, url.path) == 0 else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
            }
        } catch {
            try? FileManager.default.removeItem(at: fresh)
            throw error
        }
        return true
    }

    /// Creates a file with these bytes. `Data.write(to:)` writes wrong bytes after a short write and above 2 GiB.
    package static func bytes(_ data: Data, to url: URL) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            let code: CocoaError.Code =
                switch errno {
                case ENOENT, ENOTDIR: .fileNoSuchFile
                case EACCES, EPERM, EROFS: .fileWriteNoPermission
                case ENOSPC, EDQUOT: .fileWriteOutOfSpace
                default: .fileWriteUnknown
                }
            throw CocoaError(code, userInfo: [NSFilePathErrorKey: url.path])
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: data)
        try handle.close()
    }

    /// Replaces the contents of a folder by these files.
    ///
    /// - Parameter files: data by relative path.
    /// - Throws: errors of the file system; the old folder then remains.
    package static func folder(_ files: [String: Data], to url: URL) throws {
        let manager = FileManager.default
        if holds(url, files) { return }
        let parent = url.deletingLastPathComponent()
        let fresh = parent.appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: fresh) }
        for (path, data) in files {
            let file = fresh.appendingPathComponent(path)
            try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes(data, to: file)
        }
        if files.isEmpty { try manager.createDirectory(at: fresh, withIntermediateDirectories: true) }
        if manager.fileExists(atPath: url.path) { try manager.removeItem(at: url) }
        guard rename(fresh.path, url.path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
        }
    }

    private static func holds(_ url: URL, _ files: [String: Data]) -> Bool {
        let present = FileManager.default.subpaths(atPath: url.path)?.filter { path in
            var isDirectory: ObjCBool = false
            let full = url.appendingPathComponent(path).path
            return FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory) && !isDirectory.boolValue
        }
        guard let present, Set(present) == Set(files.keys) else { return false }
        return files.allSatisfy { (try? Data(contentsOf: url.appendingPathComponent($0.key))) == $0.value }
    }
}
