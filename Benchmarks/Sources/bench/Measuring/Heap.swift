// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures the heap memory of the objects of J2.

import CHeap
import CSystemSQLite

enum Heap {
    /// Bytes of heap for each object of J2, while all of them are retained; nil if the C library does not
    /// provide the number.
    ///
    /// Includes all memory that the allocator has handed out, with its headers and padding, in all arenas and
    /// separately mapped blocks. Excludes the memory of SQLite, because its page cache has a separate limit. Nothing is
    /// read before the measurement: a row cache would keep those rows, which would then not be counted.
    static func bytesPerObject(_ session: some Session, _ workload: Workload) throws -> Double? {
        guard let before = inUse else { return nil }
        let held = try session.hold()
        guard let after = inUse else { return nil }
        return withExtendedLifetime(held) { Double(after - before) / Double(workload.rows) }
    }

    /// The bytes that the allocator has handed out, without those of SQLite; nil if the C library does not
    /// provide the number.
    static var inUse: Int? {
        let bytes = bench_heap_in_use()
        return bytes < 0 ? nil : bytes - Int(sqlite3_memory_used())
    }
}
