// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notices commits of all connections and processes without a statement.

import CSQLite
import Synchronization

/// Identifies the newest commit to a database in WAL mode. Another commit has another mark.
package struct CommitMark: Equatable, Sendable {
    fileprivate let checksum: UInt64
}

/// The header of the WAL index, which all connections to a database share in memory (sqlite.org/walformat.html).
///
/// Each commit writes a new header. The last 8 of its 48 bytes are a checksum over the others: among them a counter of
/// the commits, the length of the log and the checksum of its last frame.
struct WALIndexHeader {
    private static let checksumOffset = 40
    private static let regionSize: Int32 = 32_768

    private let checksum: UnsafePointer<Atomic<UInt64>>

    /// - Returns: nil if the connection has no WAL index in shared memory.
    init?(of database: OpaquePointer) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods?.pointee, methods.iVersion >= 2, let map = methods.xShmMap
        else { return nil }
        // SQLite keeps this part of the index mapped until it closes the file.
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Self.regionSize, 0, &region) == SQLITE_OK, let region else { return nil }
        checksum = UnsafePointer(
            (region + Self.checksumOffset).assumingMemoryBound(to: Atomic<UInt64>.self))
    }

    var mark: CommitMark { CommitMark(checksum: checksum.pointee.load(ordering: .acquiring)) }
}

extension Connection {
    /// The mark of the newest commit, by whichever connection or process; costs a load from shared memory.
    ///
    /// Call it only for a database in WAL mode: in other modes SQLite would make the file of the index.
    ///
    /// - Returns: nil before the first read, and if the connection reads without an index in shared memory
    ///   (`Options.leavesNoTrace`).
    package var commitMark: CommitMark? {
        if walIndexHeader == nil, inTransaction { walIndexHeader = WALIndexHeader(of: handle) }
        return walIndexHeader?.mark
    }
}
