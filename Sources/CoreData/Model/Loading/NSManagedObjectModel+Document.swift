// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts a model to a document, for files and for the copy of the model in a store.

import CoreDataFoundation
package import CoreDataModelFiles
import Foundation

extension NSManagedObjectModel {
    /// The model as plain values.
    ///
    /// Omits default values and user info that are not property list values, because no file can contain them.
    package func document() -> ModelDocument {
        var document = ModelDocument()
        document.versionIdentifiers = versionIdentifiers.compactMap { $0.base as? String }.sorted()
        document.entities = entities.map { $0.document() }.sorted { $0.name < $1.name }
        document.configurations = configured.map { name, entities in
            ModelDocument.Configuration(name: name, entityNames: entities.compactMap(\.name).sorted())
        }.sorted { $0.name < $1.name }
        document.fetchRequests = fetchRequestDocuments.values.sorted { $0.name < $1.name }
        return document
    }
}

extension NSEntityDescription {
    func document() -> ModelDocument.Entity {
        var document = ModelDocument.Entity(name: name ?? "")
        document.className = explicitClassName
        document.isAbstract = isAbstract
        document.superentityName = superentity?.name
        let own = ownProperties.sorted { $0.name < $1.name }
        document.attributes = own.compactMap { ($0 as? NSAttributeDescription)?.document() }
        document.relationships = own.compactMap { ($0 as? NSRelationshipDescription)?.document() }
        document.fetchedProperties = own.compactMap { ($0 as? NSFetchedPropertyDescription)?.document() }
        document.indexes = indexes.map { $0.document() }
        document.uniquenessConstraints = ownUniquenessConstraintNames
        document.userInfo = PropertyListValue.dictionary(of: userInfo)
        document.versionHashModifier = versionHashModifier
        document.renamingIdentifier = explicitRenamingIdentifier
        document.isSyncable = isSyncable
        return document
    }
}

extension NSPropertyDescription {
    var traits: ModelDocument.PropertyTraits {
        var traits = ModelDocument.PropertyTraits(name: name)
        traits.isOptional = isOptional
        traits.isTransient = isTransient
        traits.isReadOnly = self is NSDerivedAttributeDescription
        traits.isIndexedBySpotlight = wantsSpotlightIndex
        traits.userInfo = PropertyListValue.dictionary(of: userInfo)
        traits.versionHashModifier = versionHashModifier
        traits.renamingIdentifier = explicitRenamingIdentifier
        traits.validations = validationDocuments.isEmpty ? writtenValidations : validationDocuments
        return traits
    }
}

extension NSPropertyDescription {
    /// Validation rules set in code, as text.
    private var writtenValidations: [ModelDocument.Validation] {
        validationPredicates.enumerated().map { number, predicate in
            let warning = number < validationWarnings.count ? PropertyListValue(validationWarnings[number]) : nil
            return ModelDocument.Validation(format: predicate.syntax.description, warning: warning)
        }
    }
}

extension NSAttributeDescription {
    func document() -> ModelDocument.Attribute {
        var document = ModelDocument.Attribute(name: name, type: Int(attributeType.rawValue))
        document.traits = traits
        document.defaultValue = defaultValue.flatMap { PropertyListValue($0, type: attributeType) }
        document.valueClassName = attributeValueClassName
        document.valueTransformerName = valueTransformerName
        document.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        document.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        document.allowsCloudEncryption = allowsCloudEncryption
        document.derivationExpression = (self as? NSDerivedAttributeDescription)?.derivationText
        document.elements = (self as? NSCompositeAttributeDescription)?.elements.map { $0.document() } ?? []
        return document
    }
}

extension NSRelationshipDescription {
    func document() -> ModelDocument.Relationship {
        var document = ModelDocument.Relationship(name: name, destinationEntityName: destinationEntity?.name ?? "")
        let inverse = effectiveInverse
        document.traits = traits
        document.inverseName = inverse?.name
        document.inverseEntityName = inverse == nil ? nil : destinationEntity?.name
        document.maxCount = maxCount
        document.minCount = minCount
        document.isToMany = isToMany
        document.isOrdered = isOrdered
        document.deleteRule = Int(deleteRule.rawValue)
        return document
    }
}

extension NSFetchedPropertyDescription {
    func document() -> ModelDocument.FetchedProperty? {
        requestDocument.map { request in
            var document = ModelDocument.FetchedProperty(name: name, request: request)
            document.traits = traits
            return document
        }
    }
}

extension NSFetchIndexDescription {
    func document() -> ModelDocument.FetchIndex {
        var document = ModelDocument.FetchIndex(name: name)
        document.elements = elements.map { element in
            ModelDocument.FetchIndex.Element(
                property: element.indexedPath ?? "", isAscending: element.isAscending,
                collation: Int(element.collationType.rawValue))
        }
        document.partialPredicateFormat = partialPredicateText
        return document
    }
}

extension PropertyListValue {
    /// A value in the class of the attribute's type; nil for a value that no property list can contain.
    init?(_ value: Any, type: NSAttributeType) {
        let number = (value as? Decimal).map { NSDecimalNumber(decimal: $0) } ?? (value as? NSNumber)
        switch (type, number) {
        case (.integer16AttributeType, let number?), (.integer32AttributeType, let number?),
            (.integer64AttributeType, let number?):
            self = .integer(number.int64Value)
        case (.booleanAttributeType, let number?): self = .boolean(number.boolValue)
        case (.doubleAttributeType, let number?), (.floatAttributeType, let number?): self = .real(number.doubleValue)
        case (.decimalAttributeType, let number?): self = .decimal(number.decimalValue)
        default: self.init(value)
        }
    }

    /// nil for a value that no property list can contain.
    init?(_ value: Any) {
        // Numbers first: Foundation's numbers also cast to Bool. Swift's numbers bridge to NSNumber.
        switch value {
        case let value as NSDecimalNumber: self = .decimal(value.decimalValue)
        case let value as NSNumber: self = Self.number(value)
        case let value as String: self = .string(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as UUID: self = .uuid(value)
        case let value as URL: self = .url(value)
        case is NSNull: self = .null
        case let values as [Any]:
            let elements = values.compactMap { PropertyListValue($0) }
            guard elements.count == values.count else { return nil }
            self = .array(elements)
        case let values as [String: Any]:
            let entries = values.compactMapValues { PropertyListValue($0) }
            guard entries.count == values.count else { return nil }
            self = .dictionary(entries)
        default: return nil
        }
    }

    /// The entries that a property list can contain.
    static func dictionary(of userInfo: [AnyHashable: Any]?) -> [String: PropertyListValue] {
        var result: [String: PropertyListValue] = [:]
        for (key, value) in userInfo ?? [:] {
            if let key = key.base as? String, let value = PropertyListValue(value) { result[key] = value }
        }
        return result
    }

    private static func number(_ number: NSNumber) -> PropertyListValue {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): .real(number.doubleValue)
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): .boolean(number.boolValue)
        default: .integer(number.int64Value)
        }
    }
}
