// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The limits of a SQLite store's connections, with their defaults.

import Foundation

/// Limits-L1 to L4 has the table.
struct PoolLimits {
    /// Each reader needs two to four open files. A program rarely has more threads that read at the same time.
    static let usualReaders = 256

    var readers = PoolLimits.usualReaders
    var readerTimeout = Duration.seconds(5)
    /// nil without limit.
    var writerTimeout: Duration?
    /// nil without limit.
    var waiting: Int?

    init(_ options: SQLiteStoreOptions) {
        readers = options.limits.connections ?? Self.usualReaders
        readerTimeout = options.limits.timeout ?? options.timeout
        writerTimeout = options.limits.timeout
        waiting = options.limits.waiting
    }
}
