// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The forms in which the tools print.

/// How results are printed.
package enum OutputFormat: String, Sendable, CaseIterable {
    case table
    case json
    case csv
}
