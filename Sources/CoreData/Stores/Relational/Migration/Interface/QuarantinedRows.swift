// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows that a migration leaves behind.

import Foundation

/// A row that a migration could not bring over.
package struct QuarantinedRow: Sendable {
    /// The name of its entity in the old version.
    let entity: String
    /// The last path component of its URI.
    let place: String
    let code: Int
    /// Without a final point.
    let reason: String
}

/// The rows that a migration could not bring over, and their store.
package struct QuarantinedRows {
    let rows: [QuarantinedRow]
    /// nil on a server, where the transaction of the migration writes their store.
    let file: QuarantineFile?
    /// The identifier of the store, which is the host of their URIs.
    let identifier: String
    /// By the number of their entity in the old version; empty in a migration by objects.
    package var counts: [Int64: Int64] = [:]
    /// The files of their large data.
    var files: Set<String> = []

    init(rows: [QuarantinedRow], file: QuarantineFile?, identifier: String) {
        (self.rows, self.file, self.identifier) = (rows, file, identifier)
    }

    /// The rows whose store is on a server.
    package init(_ selection: QuarantineSelection<some MigrationConnection>, identifier: String) {
        self.init(rows: selection.rows, file: nil, identifier: identifier)
        counts = selection.counts
    }
}
