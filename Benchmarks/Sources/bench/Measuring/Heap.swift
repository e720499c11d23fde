// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How many bytes of heap the objects of J2 hold.

import CHeap
import CSystemSQLite

enum Heap {
    /// Bytes of heap for each object that J2 read, while all of them are held; nil where the C library does not tell.
    ///
    /// Counted is what the allocator has handed out, its own headers and roundings included, in all its arenas and in
    /// blocks mapped alone; not counted is what SQLite holds, whose pages are a cache that its own setting limits. Nothing is
    /// read before: a row cache would keep the rows of that, and they would not be counted.
    static func bytesPerObject(_ session: some Session, _ workload: Workload) throws -> Double? {
        guard let before = inUse else { return nil }
        let held = try session.hold()
        guard let after = inUse else { return nil }
        return withExtendedLifetime(held) { Double(after - before) / Double(workload.rows) }
    }

    /// Bytes that the allocator has handed out, without those of SQLite; nil where the C library does not tell.
    static var inUse: Int? {
        let bytes = bench_heap_in_use()
        return bytes < 0 ? nil : bytes - Int(sqlite3_memory_used())
    }
}
