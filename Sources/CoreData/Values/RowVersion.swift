// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the versions of a record: `Z_OPT` in SQLite, the version of a snapshot in memory.

/// A record has version 1 after its insertion, and one more after each saved change. Contexts-7.
enum RowVersion {
    /// The difference between two versions in a row, for SQL.
    static let step: Int64 = 1

    /// The version after the next save. Wraps around: a damaged file may contain the greatest number, and versions are
    /// only compared for equality.
    @inline(__always) static func next(after version: Int64) -> Int64 { version &+ step }
}
