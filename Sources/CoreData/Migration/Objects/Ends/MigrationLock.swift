// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets one opener at a time migrate a store by objects or in stages; other openers wait.

package import Foundation

/// Holds a locked file next to the store as long as the instance lives. Excludes other threads and processes.
///
/// The file has the name of a lock file of `StagedFile`, so the next opening deletes it if its process has died
/// (Stores-K25).
package final class MigrationLock {
    private let lock: URL
    private let descriptor: Int32

    /// - Parameter progress: cancelling it ends the wait.
    /// - Throws: 134090 when another opener takes longer than the timeout; 134120 when the progress is cancelled; a
    ///   Cocoa error when the folder is not writable.
    package init(of url: URL, timeout: Duration, progress: Progress? = nil) throws {
        lock = StagedFile.lockFile(beside: url, for: "turn")
        let clock = ContinuousClock()
        let end = clock.now + timeout
        while true {
            try MigrationCancellation.check(progress, url)
            let descriptor = open(lock.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw StoreFiles.failure(errno, url) }
            // On file systems without locks no opener waits.
            let isBusy = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            // The previous holder may have removed the file between `open` and `flock`.
            if !isBusy, let state = FileState(descriptor: descriptor), state == FileState(of: lock) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
            guard isBusy else { continue }
            guard clock.now < end else {
                throw CoreDataError.cannotOpenStore(
                    url: url, .timeout, reason: "Another opener migrates it, and has not ended in time.")
            }
            Thread.sleep(forTimeInterval: .random(in: 0.005...0.03))
        }
    }

    deinit {
        unlink(lock.path)
        close(descriptor)
    }
}
