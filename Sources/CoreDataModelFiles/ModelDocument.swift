// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A data model as plain values, independent of the file format.

package import Foundation

/// One version of a data model, read from an `.xcdatamodel`, a `.mom` or the model cache of a store.
///
/// The contents are unchecked: names may be unresolved and a type may be unknown. `NSManagedObjectModel` converts the
/// document to descriptions and reports faults.
package struct ModelDocument: Sendable, Equatable {
    /// `userDefinedModelVersionIdentifier` and similar keys, without empty strings.
    package var versionIdentifiers: [String] = []
    /// Sorted by name.
    package var entities: [Entity] = []
    package var configurations: [Configuration] = []
    package var fetchRequests: [FetchRequest] = []
    /// The named composite types of a model source; compiled models contain the elements directly.
    package var composites: [Composite] = []
    /// The source language of the file, which determines scalar types in generated code.
    package var sourceLanguage: String?

    package init() {}

    package struct Entity: Sendable, Equatable {
        package var name: String
        package var className: String?
        package var isAbstract = false
        package var superentityName: String?
        /// The entity's own properties, without inherited ones. Sorted by name.
        package var attributes: [Attribute] = []
        package var relationships: [Relationship] = []
        package var fetchedProperties: [FetchedProperty] = []
        package var indexes: [FetchIndex] = []
        /// The entity's own constraints, each as a list of attribute names, in the file's order.
        package var uniquenessConstraints: [[String]] = []
        package var userInfo: [String: PropertyListValue] = [:]
        package var versionHashModifier: String?
        package var renamingIdentifier: String?
        /// Xcode's "class", "category" or nil (manual), for code generators.
        package var codeGeneration: String?
        package var isSyncable = true

        package init(name: String) { self.name = name }
    }

    /// The common part of attributes, relationships and fetched properties.
    package struct PropertyTraits: Sendable, Equatable {
        package var name: String
        package var isOptional = false
        package var isTransient = false
        package var isReadOnly = false
        package var isIndexedBySpotlight = false
        package var userInfo: [String: PropertyListValue] = [:]
        package var versionHashModifier: String?
        package var renamingIdentifier: String?
        /// Predicates as text in the format language, each with its warning (a code from 1550 as text, or a sentence).
        package var validations: [Validation] = []

        package init(name: String) { self.name = name }
    }

    package struct Validation: Sendable, Equatable {
        package var format: String
        /// A number (an error code of Core Data) or a sentence; nil if the file contains none.
        package var warning: PropertyListValue?
        package init(format: String, warning: PropertyListValue? = nil) {
            self.format = format
            self.warning = warning
        }
    }

    package struct Attribute: Sendable, Equatable {
        package var traits: PropertyTraits
        /// The raw value of `NSAttributeType`: 100 Integer 16 ... 2100 composite.
        package var type: Int
        /// The value in its natural class (a number, a date, a string ...); nil for no default.
        package var defaultValue: PropertyListValue?
        package var valueClassName: String?
        package var valueTransformerName: String?
        package var allowsExternalBinaryDataStorage = false
        package var preservesValueInHistoryOnDeletion = false
        package var allowsCloudEncryption = false
        package var usesScalarValueType = false
        /// The text of the derivation ("messages.@count"); nil for an attribute that is not derived.
        package var derivationExpression: String?
        /// The name of the composite type (sources only).
        package var compositeName: String?
        /// The elements of a composite in declared order; empty otherwise.
        package var elements: [Attribute] = []
        /// The limits of a model source, as in the file. `validations` contains them as predicates, too.
        package var minimum: String?
        package var maximum: String?
        package var regularExpression: String?

        package init(name: String, type: Int) {
            traits = PropertyTraits(name: name)
            self.type = type
        }
    }

    package struct Relationship: Sendable, Equatable {
        package var traits: PropertyTraits
        package var destinationEntityName: String
        package var inverseName: String?
        package var inverseEntityName: String?
        /// 1 for a to-one relationship; 0 means no limit.
        package var maxCount = 0
        package var minCount = 0
        package var isToMany = false
        package var isOrdered = false
        /// The raw value of `NSDeleteRule`: 0 no action, 1 nullify, 2 cascade, 3 deny.
        package var deleteRule = 1

        package init(name: String, destinationEntityName: String) {
            traits = PropertyTraits(name: name)
            self.destinationEntityName = destinationEntityName
        }
    }

    package struct FetchedProperty: Sendable, Equatable {
        package var traits: PropertyTraits
        package var request: FetchRequest
        package init(name: String, request: FetchRequest) {
            traits = PropertyTraits(name: name)
            self.request = request
        }
    }

    package struct FetchRequest: Sendable, Equatable {
        /// Empty for the request of a fetched property.
        package var name: String
        package var entityName: String
        package var predicateFormat: String?
        package var sortDescriptors: [Sort] = []
        package var fetchLimit = 0
        package var fetchBatchSize = 0
        package var resultType = 0
        package var includesSubentities = true
        package var includesPropertyValues = true
        package var includesPendingChanges = true
        package var returnsObjectsAsFaults = true
        package var returnsDistinctResults = false

        package struct Sort: Sendable, Equatable {
            package var key: String
            package var isAscending: Bool
            package var selectorName: String?
            package init(key: String, isAscending: Bool, selectorName: String? = nil) {
                self.key = key
                self.isAscending = isAscending
                self.selectorName = selectorName
            }
        }

        package init(name: String, entityName: String) {
            self.name = name
            self.entityName = entityName
        }
    }

    package struct FetchIndex: Sendable, Equatable {
        package var name: String
        package var elements: [Element] = []
        package var partialPredicateFormat: String?

        package struct Element: Sendable, Equatable {
            /// The name of a property; "self" or "entity" for the entity itself; otherwise the text of an expression.
            package var property: String
            package var isAscending = true
            /// 0 binary, 1 R-tree.
            package var collation = 0
            package init(property: String, isAscending: Bool = true, collation: Int = 0) {
                self.property = property
                self.isAscending = isAscending
                self.collation = collation
            }
        }

        package init(name: String) { self.name = name }
    }

    package struct Configuration: Sendable, Equatable {
        package var name: String
        package var entityNames: [String]
        package init(name: String, entityNames: [String]) {
            self.name = name
            self.entityNames = entityNames
        }
    }

    package struct Composite: Sendable, Equatable {
        package var name: String
        package var elements: [Attribute]
        package init(name: String, elements: [Attribute]) {
            self.name = name
            self.elements = elements
        }
    }
}

/// A value in property lists and model files. A closed set, so that it is comparable and sendable.
package indirect enum PropertyListValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
    case null
}
