// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the calls by which SQLite changes the files of a folder, lets one fail, and inspects the files between calls.

import CSQLite
import Foundation
import Synchronization

/// It replaces calls of SQLite's file layer. Bodies of several threads run one after the other.
enum FileCallHook {
    enum Call: Sendable { case read, write }

    enum Action: Sendable {
        case count
        /// The call with the number fails once.
        case fail(Int, errno: Int32)
        /// The first call of a kind after `arm()` fails once.
        case failArmed(Call, errno: Int32)
        /// Called before every nth call, with the files as a process killed there leaves them.
        case look(every: Int, @Sendable () -> Void)
    }

    private struct State {
        var folder: String?
        var action = Action.count
        var calls = 0
        var isArmed = false
    }

    private static let turn = NSLock()
    private static let state = Mutex(State())

    /// Runs the body, and counts the calls on files below a folder.
    ///
    /// - Returns: the number of calls.
    static func during(_ folder: URL, _ action: Action, _ body: () throws -> Void) rethrows -> Int {
        let folder = folder.resolvingSymlinksInPath().path + "/"
        turn.lock()
        defer { turn.unlock() }
        state.withLock { $0 = State(folder: folder, action: action) }
        install()
        defer {
            remove()
            state.withLock { $0.folder = nil }
        }
        try body()
        return state.withLock { $0.calls }
    }

    /// From now on the next call fails, if the action is that one.
    static func arm() { state.withLock { $0.isArmed = true } }

    /// - Returns: the error number of a call that fails; 0 for one that is made.
    private static func failure(_ descriptor: Int32, _ call: Call = .write) -> Int32 {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
        guard count > 0 else { return 0 }
        let path = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var look: (@Sendable () -> Void)?
        let failure = state.withLock { state -> Int32 in
            guard let folder = state.folder, path.hasPrefix(folder), !path.hasSuffix("-shm") else { return 0 }
            if case .failArmed(call, let error) = state.action {
                defer { state.isArmed = false }
                return state.isArmed ? error : 0
            }
            guard call == .write else { return 0 }
            state.calls += 1
            switch state.action {
            case .count, .failArmed: return 0
            case .fail(let number, let error): return number == state.calls ? error : 0
            case .look(let step, let body):
                if state.calls % step == 0 { look = body }
                return 0
            }
        }
        look?()
        return failure
    }

    private static let awaited = Mutex<(path: String, look: @Sendable () -> Void)?>(nil)

    /// Runs the body, and calls `look` before SQLite first opens the file for writing.
    static func before(writing url: URL, _ look: @escaping @Sendable () -> Void, during body: () -> Void) {
        let path = url.resolvingSymlinksInPath().path
        awaited.withLock { $0 = (path, look) }
        let opening: @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32 = { path, flags, mode in
            if flags & O_ACCMODE == O_RDWR { FileCallHook.opens(String(cString: path)) }
            return open(path, flags, mode_t(truncatingIfNeeded: mode))
        }
        set("open", unsafeBitCast(opening, to: sqlite3_syscall_ptr.self))
        body()
        set("open", nil)
        awaited.withLock { $0 = nil }
    }

    private static func opens(_ path: String) {
        let look = awaited.withLock { awaited -> (@Sendable () -> Void)? in
            guard awaited?.path == path else { return nil }
            defer { awaited = nil }
            return awaited?.look
        }
        look?()
    }

    private static func install() {
        let positioned: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
            descriptor, bytes, count, offset in
            let failure = FileCallHook.failure(descriptor)
            if failure != 0 {
                errno = failure
                return -1
            }
            return pwrite(descriptor, bytes, count, offset)
        }
        for name in ["pwrite", "pwrite64"] { set(name, unsafeBitCast(positioned, to: sqlite3_syscall_ptr.self)) }
        let plain: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = { descriptor, bytes, count in
            let failure = FileCallHook.failure(descriptor)
            if failure != 0 {
                errno = failure
                return -1
            }
            return write(descriptor, bytes, count)
        }
        set("write", unsafeBitCast(plain, to: sqlite3_syscall_ptr.self))
        let truncate: @convention(c) (Int32, off_t) -> Int32 = { descriptor, size in
            let failure = FileCallHook.failure(descriptor)
            if failure != 0 {
                errno = failure
                return -1
            }
            return ftruncate(descriptor, size)
        }
        set("ftruncate", unsafeBitCast(truncate, to: sqlite3_syscall_ptr.self))
        installReads()
    }

    private static func installReads() {
        let positioned: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int = {
            descriptor, bytes, count, offset in
            let failure = FileCallHook.failure(descriptor, .read)
            if failure != 0 {
                errno = failure
                return -1
            }
            return pread(descriptor, bytes, count, offset)
        }
        for name in ["pread", "pread64"] { set(name, unsafeBitCast(positioned, to: sqlite3_syscall_ptr.self)) }
        let plain: @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int = { descriptor, bytes, count in
            let failure = FileCallHook.failure(descriptor, .read)
            if failure != 0 {
                errno = failure
                return -1
            }
            return read(descriptor, bytes, count)
        }
        set("read", unsafeBitCast(plain, to: sqlite3_syscall_ptr.self))
    }

    private static func remove() {
        for name in ["pwrite", "pwrite64", "write", "ftruncate", "pread", "pread64", "read"] { set(name, nil) }
    }

    private static func set(_ name: String, _ call: sqlite3_syscall_ptr?) {
        guard let files = sqlite3_vfs_find(nil) else { return }
        _ = files.pointee.xSetSystemCall(files, name, call)
    }
}
