// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The marker for bytes that SQLite copies.

public import CSQLite

extension Statement {
    /// C's `SQLITE_TRANSIENT`, a cast that Swift does not import.
    ///
    /// Assumption: a pointer to a C function has the size of an integer.
    @inlinable
    static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
