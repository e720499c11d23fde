// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border to the spatial indexes of a database: boxes as a condition on keys. Geography-6.

import Foundation

/// The spatial indexes that one fetch may use.
package protocol SpatialConditions {
    /// A condition on keys that all rows in the boxes meet, and perhaps others; nil without an index.
    ///
    /// - Parameters:
    ///   - boxes: by the names of columns; a row is in at least one of them.
    ///   - layout: the entity of the rows.
    func candidates(_ boxes: [SpatialBox], key: SQLText, of layout: EntityLayout) throws -> SQLText?
}

/// Ranges of numbers, by column.
package struct SpatialBox {
    package private(set) var ranges: [String: (least: Double, greatest: Double)] = [:]

    package func intersection(_ other: SpatialBox) -> SpatialBox {
        var result = self
        for (column, range) in other.ranges {
            let known = result.ranges[column] ?? (-.infinity, .infinity)
            result.ranges[column] = (max(known.least, range.least), min(known.greatest, range.greatest))
        }
        return result
    }

    init(_ column: String, _ least: Double, _ greatest: Double) { ranges[column] = (least, greatest) }
    init() {}
}
