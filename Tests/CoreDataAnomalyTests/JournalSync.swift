// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A VFS in which the sync after the end of a journal fails.

import CSQLite
import Foundation
import Synchronization
import Testing

/// A VFS over the default one. The first sync of one journal after its end fails: when it is empty, or its header is
/// zero.
enum JournalSync {
    private struct State {
        var path = ""
        var isArmed = false
        /// Whether the journal had a header at a sync: those before it have none either.
        var hasBegun = false
        var failures = 0
        /// Whether the journal cannot be found after the failure, so that nothing can be read.
        var isLasting = false
        /// The result of the failed sync.
        var code = SQLITE_IOERR | (4 << 8)
    }

    private static let state = Mutex(State())
    // Both are written once, by `install`, and never freed: SQLite keeps the pointers.
    private nonisolated(unsafe) static let base = sqlite3_vfs_find(nil)
    private nonisolated(unsafe) static var table: UnsafeMutablePointer<sqlite3_io_methods>?

    /// - Returns: the result, and the number of syncs that failed.
    static func failing<T>(
        _ code: Int32 = SQLITE_IOERR | (4 << 8), isLasting: Bool = false, _ body: () throws -> T
    ) rethrows -> (T, Int) {
        state.withLock { ($0.isArmed, $0.isLasting, $0.code) = (true, isLasting, code) }
        defer { state.withLock { $0 = State() } }
        let result = try body()
        return (result, state.withLock { $0.failures })
    }

    private static let isInstalled: Bool = {
        guard let base else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: base.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup("journal-sync"))
        layer.pointee.xOpen = { _, path, file, flags, answer in
            guard let base = JournalSync.base, let open = base.pointee.xOpen else { return SQLITE_CANTOPEN }
            let code = open(base, path, file, flags, answer)
            guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_JOURNAL != 0, let path, let file else { return code }
            JournalSync.watch(String(cString: path), file)
            return code
        }
        layer.pointee.xAccess = { _, path, flags, answer in
            guard let base = JournalSync.base, let access = base.pointee.xAccess, let path else { return SQLITE_IOERR }
            if JournalSync.isOut(String(cString: path)) { return SQLITE_IOERR | (13 << 8) }
            return access(base, path, flags, answer)
        }
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }()

    private static func isOut(_ path: String) -> Bool {
        state.withLock { $0.isLasting && $0.failures > 0 && $0.path == path }
    }

    /// Affects databases that are opened later.
    static func install() { #expect(isInstalled) }

    /// - Parameter path: of the journal, which SQLite opens anew for each transaction.
    static func watch(for path: String) { state.withLock { $0 = State(path: path) } }

    private static func watch(_ path: String, _ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let methods = file.pointee.pMethods, state.withLock({ $0.path == path }) else { return }
        if table == nil {
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            copy.pointee.xSync = { file, flags in
                guard let file, let base = JournalSync.original else { return SQLITE_IOERR }
                if let code = JournalSync.failure(hasEnded: JournalSync.hasEnded(file, base)) { return code }
                return base.pointee.xSync(file, flags)
            }
            original = methods
            table = copy
        }
        file.pointee.pMethods = UnsafePointer(table)
    }

    private nonisolated(unsafe) static var original: UnsafePointer<sqlite3_io_methods>?

    private static func hasEnded(_ file: UnsafeMutablePointer<sqlite3_file>, _ base: UnsafePointer<sqlite3_io_methods>)
        -> Bool
    {
        var size: sqlite3_int64 = 0
        guard base.pointee.xFileSize(file, &size) == SQLITE_OK else { return false }
        var start: [UInt8] = Array(repeating: 1, count: 8)
        guard size >= 8 else { return true }
        guard base.pointee.xRead(file, &start, 8, 0) == SQLITE_OK else { return false }
        return start.allSatisfy { $0 == 0 }
    }

    /// - Returns: nil for a sync that is executed.
    private static func failure(hasEnded: Bool) -> Int32? {
        state.withLock { state in
            guard state.isArmed else { return nil }
            if !hasEnded { state.hasBegun = true }
            guard hasEnded, state.hasBegun, state.failures == 0 else { return nil }
            state.failures += 1
            return state.code
        }
    }
}
