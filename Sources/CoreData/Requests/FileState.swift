// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The file-system identity of a file, which detects that another process has replaced it.

import Foundation

/// The identity of a file at one moment. Stores-A6.
struct FileState: Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    /// The last changes of contents and of the inode, in nanoseconds.
    private let modified: Int64
    private let changed: Int64

    /// nil if the file does not exist or is not accessible.
    init?(of url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    }
}
