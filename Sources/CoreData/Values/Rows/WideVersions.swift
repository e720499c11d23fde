// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Versions that do not fit into the header of a row.

import Foundation

/// Versions of more than 45 bits, which occur only in damaged files, by row: the tag of such a row has a bit for them.
///
/// Thread-safe.
enum WideVersions {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var versions: [ObjectIdentifier: Int64] = [:]  // guarded by `lock`

    static func version(of row: ObjectIdentifier) -> Int64 { lock.withLock { versions[row] ?? 0 } }

    static func set(_ version: Int64, of row: ObjectIdentifier) { lock.withLock { versions[row] = version } }

    /// Called when the row is deallocated.
    static func forget(_ row: ObjectIdentifier) { lock.withLock { versions[row] = nil } }
}
