// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The output formats of the tools.

/// How results are printed.
package enum OutputFormat: String, Sendable, CaseIterable {
    case table
    case json
    /// A JSON value on each line.
    case ndjson
    case csv

    /// Formats by file extension.
    package static let endings: [String: OutputFormat] = [
        "json": .json, "ndjson": .ndjson, "jsonl": .ndjson, "csv": .csv, "txt": .table,
    ]
}
