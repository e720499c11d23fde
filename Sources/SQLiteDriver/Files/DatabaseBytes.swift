// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the bytes of a file that this process may have open as a database, and leaves the locks of the database alone.

import CSQLite
package import Foundation

/// The bytes of a database file, or of any other file, through SQLite's own file layer.
///
/// On POSIX systems closing any descriptor of a file releases all locks that the process has on the file. A program
/// that opens a database a second time with `open` or `FileHandle` therefore unlocks it under the connections: another
/// process finds no other user, deletes the write-ahead log, and later commits go to the deleted log.
/// SQLite knows the locks of its connections, and closes a descriptor of this layer only when no lock is left.
///
/// ```swift
/// let start = try DatabaseBytes(path: "Shop.sqlite").read(at: 0, count: 16)    // "SQLite format 3" and a zero
/// ```
/// Confined to one thread.
package final class DatabaseBytes {
    private let path: String
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods
    private let name: UnsafeMutablePointer<CChar>

    /// Opens a file for reading, without a lock. Symbolic links are followed.
    ///
    /// - Throws: `isCantOpen` for a file that is missing or cannot be read.
    package init(path: String) throws(SQLiteError) {
        self.path = path
        guard sqlite3_initialize() == SQLITE_OK, let layer = sqlite3_vfs_find(nil), let open = layer.pointee.xOpen,
            let resolved = realpath(path, nil)
        else { throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "unable to open the file", path: path) }
        defer { free(resolved) }
        // SQLite looks for parameters after the end of the name, and ends at a second zero.
        let length = strlen(resolved)
        name = .allocate(capacity: length + 2)
        name.initialize(repeating: 0, count: length + 2)
        name.update(from: resolved, count: length)
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: Int(layer.pointee.szOsFile), alignment: MemoryLayout<Int>.alignment * 2)
        memset(room, 0, Int(layer.pointee.szOsFile))
        file = room.assumingMemoryBound(to: sqlite3_file.self)
        let code = open(layer, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nil)
        guard code == SQLITE_OK, let methods = file.pointee.pMethods?.pointee else {
            room.deallocate()
            name.deallocate()
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "unable to open the file", path: path)
        }
        self.methods = methods
    }

    deinit {
        _ = methods.xClose?(file)
        UnsafeMutableRawPointer(file).deallocate()
        name.deallocate()
    }

    /// The length of the file in bytes.
    ///
    /// - Throws: `isIOError`.
    package func size() throws(SQLiteError) -> Int {
        var size: sqlite3_int64 = 0
        guard methods.xFileSize?(file, &size) == SQLITE_OK else { throw failure(SQLITE_IOERR) }
        return Int(size)
    }

    /// Bytes of the file; fewer than asked for at its end.
    ///
    /// - Throws: `isIOError`.
    package func read(at offset: Int, count: Int) throws(SQLiteError) -> Data {
        let count = min(count, max(0, try size() - offset))
        guard offset >= 0, count > 0 else { return Data() }
        var bytes = Data(count: count)
        let code = bytes.withUnsafeMutableBytes { room in
            methods.xRead?(file, room.baseAddress, Int32(room.count), sqlite3_int64(offset)) ?? SQLITE_IOERR
        }
        // A file that another program shortens at this moment reads as zeros after its end.
        guard code == SQLITE_OK || code == SQLITE_IOERR | (2 << 8) else { throw failure(code) }
        return bytes
    }

    /// Writes all bytes to a new file.
    ///
    /// - Throws: `isIOError`, and errors of the file system.
    package func copy(to copy: URL) throws {
        guard FileManager.default.createFile(atPath: copy.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: copy.path])
        }
        let handle = try FileHandle(forWritingTo: copy)
        defer { try? handle.close() }
        let (size, piece) = (try size(), 1 << 20)
        for offset in stride(from: 0, to: size, by: piece) {
            try handle.write(contentsOf: read(at: offset, count: min(piece, size - offset)))
        }
    }

    private func failure(_ code: Int32) -> SQLiteError {
        SQLiteError(extendedCode: code, message: "unable to read the file", path: path)
    }
}
