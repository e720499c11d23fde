// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes medians.

enum Statistics {
    /// - Returns: nil for no values.
    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
