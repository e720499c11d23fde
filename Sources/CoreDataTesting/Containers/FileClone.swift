// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies files and folders, without copying their blocks where the file system can share them.

import Foundation

#if canImport(Glibc)
    import Glibc
#endif

enum FileClone {
    /// Copies a folder with all its files.
    ///
    /// - Throws: errors of the file system; the copy may be incomplete then.
    static func copyFolder(_ source: URL, to copy: URL) throws {
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            let (from, to) = (source.appending(path: name), copy.appending(path: name))
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: from.path, isDirectory: &isFolder)
            if exists, isFolder.boolValue { try copyFolder(from, to: to) } else { try copyFile(from, to: to) }
        }
    }

    private static func copyFile(_ source: URL, to copy: URL) throws {
        #if canImport(Glibc)
            if cloned(source.path, copy.path) { return }
            try? FileManager.default.removeItem(at: copy)
        #endif
        try FileManager.default.copyItem(at: source, to: copy)
    }

    #if canImport(Glibc)
        /// FICLONE of <linux/fs.h>, which Glibc's module does not contain.
        private static let shareBlocks: UInt = 0x4004_9409

        /// Shares the blocks of a file, or lets the kernel copy them.
        ///
        /// - Returns: false if the system can do neither.
        private static func cloned(_ source: String, _ copy: String) -> Bool {
            let from = open(source, O_RDONLY | O_CLOEXEC)
            guard from >= 0 else { return false }
            defer { close(from) }
            let to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard to >= 0 else { return false }
            defer { close(to) }
            if ioctl(to, shareBlocks, from) == 0 { return true }
            var status = stat()
            guard fstat(from, &status) == 0 else { return false }
            var rest = Int(status.st_size)
            while rest > 0 {
                let count = sendfile(to, from, nil, rest)
                guard count > 0 else { return false }
                rest -= count
            }
            return true
        }
    #endif
}
