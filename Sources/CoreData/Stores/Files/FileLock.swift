// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Locks a file while it is checked and replaced.

import Foundation

/// Holds the lock of a file while it is replaced. Other replacements wait; readers do not.
final class FileLock {
    private let descriptor: Int32

    /// nil if the file does not exist, or its file system has no locks.
    init?(_ url: URL) {
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                return nil
            }
        }
    }

    func release() { close(descriptor) }
}
