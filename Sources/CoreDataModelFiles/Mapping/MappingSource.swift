// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of a mapping model source (xcmapping.xml), as plain values.

package import Foundation

/// The file is an XML store with five entities: one mapping model with its entity mappings, and their property
/// mappings. The names in it are not resolved in models.
package struct MappingSource: Sendable {
    package struct Entity: Sendable {
        package var name: String?
        package var sourceName: String?
        package var destinationName: String?
        /// The order of the mappings.
        package var number = 0
        /// "Undefined", "Custom", "Add", "Remove", "Copy", "Transform".
        package var kindName: String?
        package var policyClassName: String?
        /// A predicate for the objects to migrate; nil for all.
        package var sourceFilter: String?
        package var attributes: [Property] = []
        package var relationships: [Property] = []
        package var line = 0
    }

    package struct Property: Sendable {
        package var name = ""
        /// The value of the archived expression.
        package var valueExpression: String?
        /// An expression: "$source.country".
        package var sourceKeyPath: String?
        /// The entity mapping of a relationship's destinations.
        package var sourceMappingName: String?
        /// Whether the value is generated if there is no expression.
        package var isGenerated = true
        package var line = 0
    }

    /// Paths on the computer that created the mapping.
    package var sourceModelPath: String?
    package var destinationModelPath: String?
    /// The compiled models at that time.
    package var sourceModelData: Data?
    package var destinationModelData: Data?
    /// Sorted by number, then by name.
    package var entities: [Entity]
    /// The line on which the mapping model starts.
    package var line: Int
}
