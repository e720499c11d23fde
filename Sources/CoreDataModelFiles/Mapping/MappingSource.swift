// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the source of a mapping model (xcmapping.xml) says, as plain values.

package import Foundation

/// The file is an XML store of five entities: one mapping model with its entity mappings, and their property mappings.
/// Nothing of it is looked up in models here.
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
        /// Which objects are migrated; nil for all.
        package var sourceFilter: String?
        package var attributes: [Property] = []
        package var relationships: [Property] = []
        package var line = 0
    }

    package struct Property: Sendable {
        package var name = ""
        /// As archived expressions say it.
        package var valueExpression: String?
        /// An expression: "$source.country".
        package var sourceKeyPath: String?
        /// The entity mapping that made the objects a relationship leads to.
        package var sourceMappingName: String?
        /// Whether a value is made up where no expression is given.
        package var isGenerated = true
        package var line = 0
    }

    /// Paths on the computer where the mapping was made.
    package var sourceModelPath: String?
    package var destinationModelPath: String?
    /// The models as they were then, compiled.
    package var sourceModelData: Data?
    package var destinationModelData: Data?
    /// By number, then by name.
    package var entities: [Entity]
    /// Where the mapping model begins.
    package var line: Int
}
