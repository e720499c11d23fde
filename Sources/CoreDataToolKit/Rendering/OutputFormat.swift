// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The forms in which the tools print.

/// How results are printed.
package enum OutputFormat: String, Sendable, CaseIterable {
    case table
    case json
    /// A JSON value on each line.
    case ndjson
    case csv

    /// By the endings of files.
    package static let endings: [String: OutputFormat] = [
        "json": .json, "ndjson": .ndjson, "jsonl": .ndjson, "csv": .csv, "txt": .table,
    ]
}
