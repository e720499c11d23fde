// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A VFS for SQLite that reads a database in WAL mode without creating or changing any file.

import CSQLite
import Foundation

/// SQLite's default VFS with three changes, so that reading leaves no files.
///
/// SQLite creates a `-wal` and a `-shm` file next to a database in WAL mode even for reading. With this VFS:
/// (1) The WAL is opened read-only; a missing WAL reads as an empty one.
/// (2) Without a `-shm` file the index of the WAL is built in memory: the VFS returns
///   `SQLITE_READONLY_CANTINIT`, SQLite's code for an index that must not be initialized. An existing index is
///   used, with the locks of other programs.
/// (3) No file is deleted.
///
/// Without a `-shm` file a program that starts later may empty the WAL during a read transaction.
enum ReadOnlyVFS {
    static let name = "opencoredata-in-place"

    /// Whether the VFS is registered; the first access registers it.
    static let isRegistered: Bool = {
        guard let base else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)  // SQLite keeps the pointer
        layer.initialize(to: base.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.xOpen = { _, path, file, flags, outFlags in
            ReadOnlyVFS.open(path, file, flags, outFlags)
        }
        layer.pointee.xDelete = { _, _, _ in SQLITE_READONLY }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK
    }()

    // Both are written once and never freed, because SQLite keeps the pointers.
    private nonisolated(unsafe) static let base = sqlite3_vfs_find(nil)
    private nonisolated(unsafe) static let noLog = strdup("/dev/null")
    private static let tablesLock = NSLock()
    /// Method tables with change (2), by the method table of the default VFS. Guarded by `tablesLock`; entries
    /// are never freed.
    private nonisolated(unsafe) static var tables:
        [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] = [:]

    private static func open(
        _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let base, let open = base.pointee.xOpen else { return SQLITE_CANTOPEN }
        if flags & SQLITE_OPEN_WAL != 0, let path {
            let reading = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
            let exists = access(path, F_OK) == 0
            return open(base, exists ? path : UnsafePointer(noLog), file, reading, outFlags)
        }
        let code = open(base, path, file, flags, outFlags)
        guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let path, let file,
            access(String(cString: path) + "-shm", R_OK) != 0, let methods = file.pointee.pMethods
        else { return code }
        file.pointee.pMethods = withoutIndexFile(methods)
        return code
    }

    private static func withoutIndexFile(_ methods: UnsafePointer<sqlite3_io_methods>)
        -> UnsafePointer<sqlite3_io_methods>
    {
        tablesLock.withLock {
            if let known = tables[methods] { return known }
            let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            table.initialize(to: methods.pointee)
            table.pointee.xShmMap = { _, _, _, _, _ in SQLITE_READONLY | (5 << 8) }  // SQLITE_READONLY_CANTINIT
            table.pointee.xShmLock = { _, _, _, _ in SQLITE_OK }
            table.pointee.xShmBarrier = { _ in }
            table.pointee.xShmUnmap = { _, _ in SQLITE_OK }
            tables[methods] = UnsafePointer(table)
            return UnsafePointer(table)
        }
    }
}
