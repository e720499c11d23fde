// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The result of a batch request on a SQLite store, and the rows that others know in an older form.

/// The cached rows that are no longer those of the store after a batch request.
enum BatchStaleness {
    case nothing
    /// By root entity.
    case rows([Int: [Int64]])
    case everything
}

typealias BatchResult = (outcome: BatchOutcome, staleness: BatchStaleness)
