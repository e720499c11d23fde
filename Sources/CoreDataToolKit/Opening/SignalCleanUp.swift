// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes unfinished and temporary files when a signal ends the program.

import Foundation
import Synchronization

/// The files that must not outlive the program. The signals SIGHUP, SIGINT, SIGQUIT, SIGPIPE and SIGTERM remove them
/// before they end the program.
///
/// Thread-safe. The handler calls only async-signal-safe functions: `unlink`, `rmdir`, `signal`, `raise`.
package enum SignalCleanUp {
    /// The capacity of the list; signals do not remove further files.
    private static let capacity = 64
    private nonisolated(unsafe) static let paths: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: capacity)
        list.initialize(repeating: nil, count: capacity)
        return list
    }()
    private static let lock = Mutex<Bool>(false)  // whether the handler is installed

    /// Adds a file, or a folder that is empty after the removal of the files added before.
    package static func add(_ path: String) {
        lock.withLock { isInstalled in
            if !isInstalled { install() }
            isInstalled = true
            guard let free = (0..<capacity).first(where: { paths[$0] == nil }) else { return }
            paths[free] = strdup(path)
        }
    }

    /// Adds a folder to remove with all its content. A separate process removes it, because no function that a signal
    /// handler may call removes a tree.
    package static func addFolder(_ path: String) { add(path + "/") }

    /// Removes a path from the list.
    package static func remove(_ path: String) {
        lock.withLock { _ in
            for position in 0..<capacity {
                guard let known = paths[position], strcmp(known, path) == 0 || strcmp(known, path + "/") == 0
                else { continue }
                // Not freed, because a handler on another thread may be reading it.
                paths[position] = nil
            }
        }
    }

    private static func install() {
        _ = (paths, removal)
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM] {
            let handler: @convention(c) (Int32) -> Void = { SignalCleanUp.end($0) }
            // `nohup` and similar programs ignore a signal for the programs that they start.
            let before = SignalHandler.set(number, handler)
            if before.isIgnoring { before.restore(number) }
        }
    }

    /// Calls `rm -rf` with functions that a signal handler may call. Another thread may still make the folder, or files
    /// in it, so it is called at least twice, and up to five times while the folder is there.
    private static func removeTree(_ path: UnsafeMutablePointer<CChar>) {
        removal[3] = path
        var attempt = 0
        while attempt < 2 || attempt < 5 && access(path, F_OK) == 0 {
            attempt += 1
            var child = pid_t()
            guard posix_spawn(&child, "/bin/rm", nil, nil, removal, environ) == 0 else { return }
            var status = Int32()
            waitpid(child, &status, 0)
        }
    }

    /// The words of `rm -rf -- PATH`, made before any signal.
    private nonisolated(unsafe) static let removal: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = {
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 5)
        list.initialize(repeating: nil, count: 5)
        for (position, word) in ["rm", "-rf", "--"].enumerated() { list[position] = strdup(word) }
        return list
    }()

    private static func end(_ number: Int32) {
        var position = 0
        // No range and no iterator here: their metadata may have to be made, with locks that this thread may hold.
        while position < capacity {
            let path = paths[position]
            position += 1
            guard let path else { continue }
            let length = strlen(path)
            if length > 1, path[length - 1] == CChar(UInt8(ascii: "/")) {
                removeTree(path)
            } else if unlink(path) != 0 {
                rmdir(path)
            }
        }
        signal(number, SIG_DFL)
        raise(number)
    }
}
