// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects that files are written, by any process, through inotify.

import Foundation

/// Calls a closure after writes to files, until it is released. Ignores files that do not exist.
///
/// The closure runs on a queue of the watch, once for a burst of writes. Between writes nothing runs.
final class FileWatch: @unchecked Sendable {  // the source is only cancelled
    /// In microseconds.
    private static let rest: UInt32 = 1000
    private let source: (any DispatchSourceRead)?

    init(_ paths: [String], _ body: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            // If no descriptor is left, commits of other processes are noticed at the next save of this process.
            DiagnosisLog.warn(
                "The commits of other processes to \(paths.first ?? "") cannot be noticed: errno \(errno).")
            source = nil
            return
        }
        for path in paths { _ = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) }
        let queue = DispatchQueue(label: "OpenCoreData.FileWatch")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 4096)
            // It does not matter which file was written.
            while read(descriptor, &bytes, bytes.count) > 0 {}
            body()
            // Joins the next writes of the burst.
            usleep(Self.rest)
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        self.source = source
    }

    deinit { source?.cancel() }
}
