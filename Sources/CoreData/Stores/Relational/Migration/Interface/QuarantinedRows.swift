// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows that a migration leaves behind.

import Foundation

/// A row that a migration could not bring over.
struct QuarantinedRow: Sendable {
    /// The name of its entity in the old version.
    let entity: String
    /// The last path component of its URI.
    let place: String
    let code: Int
    /// Without a final point.
    let reason: String
}

/// The rows that a migration could not bring over, and their store.
struct QuarantinedRows {
    let rows: [QuarantinedRow]
    let file: QuarantineFile
    /// The identifier of the store, which is the host of their URIs.
    let identifier: String
    /// By the number of their entity in the old version; empty in a migration by objects.
    var counts: [Int64: Int64] = [:]
    /// The files of their large data.
    var files: Set<String> = []
}
