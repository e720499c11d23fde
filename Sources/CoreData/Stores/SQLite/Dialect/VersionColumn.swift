// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Increments the version of a row in SQL, as `RowVersion` does in memory.

enum VersionColumn {
    /// The assignment that every change of a row makes.
    static let increment = "Z_OPT = Z_OPT + \(RowVersion.step)"
}
