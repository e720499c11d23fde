// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the versions of a record: `Z_OPT` in SQLite, the version of a snapshot in memory.

/// A record has version 1 after its insertion, and one more after each saved change. Contexts-7.
package enum RowVersion {
    /// The difference between two versions in a row, for SQL.
    package static let step: Int64 = 1

    /// The version after the next save. Wraps around: a damaged file may contain the greatest number, and versions are
    /// only compared for equality.
    @inline(__always) package static func next(after version: Int64) -> Int64 { version &+ step }

    /// The version of a record that is written again after another writer deleted it.
    ///
    /// Between the read of `version` and the deletion, another writer may have saved the record. A row cache that has
    /// one of these versions must not mistake it for the record that is written again (Merging-24). A record is not
    /// saved 65,536 times between a read and a save based on it, and 64 bits have room for 10^14 such steps.
    package static func afterDeletion(of version: Int64) -> Int64 { version &+ 65_536 }
}
