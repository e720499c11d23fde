// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of a compiled mapping model (.cdm), as plain values.

package import Foundation

/// The mapping of one model's objects to those of another. Expressions are text, as in model documents.
package struct MappingDocument: Sendable, Equatable {
    package struct EntityMapping: Sendable, Equatable {
        /// Raw values are those of `NSEntityMappingType`.
        package enum Kind: Int, Sendable {
            case undefined
            case custom
            case add
            case remove
            case copy
            case transform
        }

        /// Unique in the mapping model: "BookToBook".
        package var name: String
        package var kind: Kind
        /// nil for new entities.
        package var sourceEntityName: String?
        /// 32 bytes.
        package var sourceEntityHash: Data?
        /// nil for removed entities.
        package var destinationEntityName: String?
        package var destinationEntityHash: Data?
        /// The expression for the objects to migrate; nil for none.
        package var sourceExpression: String?
        package var attributes: [PropertyMapping] = []
        package var relationships: [PropertyMapping] = []
        package var policyClassName: String?
        package var userInfo: [String: PropertyListValue] = [:]

        package init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package struct PropertyMapping: Sendable, Equatable {
        /// The name in the destination.
        package var name: String
        /// nil keeps the default value.
        package var valueExpression: String?
        package var userInfo: [String: PropertyListValue] = [:]

        package init(name: String, valueExpression: String?) {
            self.name = name
            self.valueExpression = valueExpression
        }
    }

    package var entityMappings: [EntityMapping]

    package init(entityMappings: [EntityMapping] = []) { self.entityMappings = entityMappings }
}
