// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The cached rows that a batch request on a SQLite store has made outdated.

/// The cached rows that differ from those of the store after a batch request.
enum BatchStaleness {
    case nothing
    /// By root entity.
    case rows([Int: [Int64]])
    case everything
}

typealias BatchResult = (outcome: BatchOutcome, staleness: BatchStaleness)
