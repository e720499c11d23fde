// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the archived properties, fetch requests and indexes of a compiled model.

import Foundation
import PredicateLanguage

/// The bit mask `_P` of an archived property. Apple's archives also contain a key for each true flag; the
/// mask is sufficient.
enum PropertyBits {
    static let always = 0x01
    static let optional = 0x02
    static let readOnly = 0x04
    static let transient = 0x08
    static let noPredicates = 0x10
    static let noWarnings = 0x20
    static let noUserInfo = 0x40
    static let noVersionHashModifier = 0x80
    static let spotlight = 0x100
    static let ordered = 0x400
    static let cloudEncryption = 0x800
}

/// The bits of `NSFlagsKey` of an archived attribute.
enum AttributeBits {
    static let externalStorage = 4
    static let preservedInHistory = 16
}

/// The bits of `NSFetchRequestFlags`. All known archives contain 30, the defaults; the assignment of the two upper bits
/// is a guess that makes no difference for them.
enum FetchRequestBits {
    static let distinct = 1
    static let subentities = 2
    static let propertyValues = 4
    static let faults = 8
    static let pendingChanges = 16
}

extension KeyedModelReader {
    private static let maximumDepth = 32

    private func traits(_ object: KeyedArchive.Object) throws -> ModelDocument.PropertyTraits {
        var traits = ModelDocument.PropertyTraits(name: try archive.requiredString(object, "NSPropertyName"))
        traits.isOptional = try flag(object, "NSIsOptional", PropertyBits.optional)
        traits.isTransient = try flag(object, "NSIsTransient", PropertyBits.transient)
        traits.isReadOnly = try flag(object, "NSIsReadOnly", PropertyBits.readOnly)
        traits.isIndexedBySpotlight = try flag(object, "NSIndexedBySpotlight", PropertyBits.spotlight)
        traits.userInfo = try userInfo(object)
        traits.versionHashModifier = try archive.string(object, "NSVersionHashModifier")
        let renaming = try archive.string(object, "NSRenamingIdentifier")
        traits.renamingIdentifier = renaming == traits.name ? nil : renaming
        let warnings = try archive.members(object, "NSValidationWarnings") ?? []
        traits.validations = try (archive.members(object, "NSValidationPredicates") ?? []).enumerated()
            .map { position, node in
                guard let predicate = try predicates.predicate(node) else {
                    throw archive.wrong(object, "NSValidationPredicates", "predicates")
                }
                let warning = position < warnings.count ? try archive.value(warnings[position]) : nil
                return ModelDocument.Validation(
                    format: try ModelPredicate.text(of: predicate), warning: warning == .null ? nil : warning)
            }
        return traits
    }

    private func flag(_ object: KeyedArchive.Object, _ key: String, _ bit: Int) throws -> Bool {
        if try archive.flag(object, key) { return true }
        return try (archive.integer(object, "_P") ?? 0) & bit != 0
    }

    func attribute(_ object: KeyedArchive.Object, depth: Int = 0) throws -> ModelDocument.Attribute {
        let name = try archive.requiredString(object, "NSPropertyName")
        let type = try archive.integer(object, "NSAttributeType") ?? 0
        guard let kind = AttributeKind(rawValue: type) else {
            throw ModelFileError(.unknownType("\(type)"), "The attribute '\(name)' has the unknown type \(type).")
        }
        guard depth < Self.maximumDepth else {
            throw KeyedArchive.damaged("the composite '\(name)' is nested without end")
        }
        var attribute = ModelDocument.Attribute(name: name, type: type)
        attribute.traits = try traits(object)
        attribute.valueClassName = try archive.string(object, "NSAttributeValueClassName")
        attribute.valueTransformerName = try archive.string(object, "NSValueTransformerName")
        let flags = try archive.integer(object, "NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & AttributeBits.externalStorage != 0
        attribute.preservesValueInHistoryOnDeletion = flags & AttributeBits.preservedInHistory != 0
        attribute.allowsCloudEncryption = try flag(object, "NSAllowsCloudEncryption", PropertyBits.cloudEncryption)
        // Drops the default value of a transformable attribute if its class is not a plain value.
        if let value = try archive.value(object.fields["NSDefaultValue"]), value != .null {
            attribute.defaultValue = kind.natural(value)
        }
        if object.className == "NSDerivedAttributeDescription" {
            let expression = try predicates.expression(object.fields["NSDerivationExpression"])
            attribute.derivationExpression = try expression.map(ModelPredicate.text(of:)) ?? ""
        }
        attribute.elements = try (archive.members(object, "NSCompositeElements") ?? []).map { node in
            guard let element = try archive.object(node) else {
                throw archive.wrong(object, "NSCompositeElements", "attributes")
            }
            return try self.attribute(element, depth: depth + 1)
        }
        return attribute
    }

    func relationship(_ object: KeyedArchive.Object) throws -> ModelDocument.Relationship {
        let named = try archive.string(object, "_NSDestinationEntityName")
        var relationship = ModelDocument.Relationship(
            name: try archive.requiredString(object, "NSPropertyName"),
            destinationEntityName: try named ?? entityName(object.fields["NSDestinationEntity"]) ?? "")
        relationship.traits = try traits(object)
        if let inverse = try inverse(of: object) {
            relationship.inverseName = try archive.requiredString(inverse, "NSPropertyName")
            relationship.inverseEntityName = try entityName(inverse.fields["NSEntity"])
        } else if let name = try archive.string(object, "_NSInverseRelationshipName") {
            relationship.inverseName = name
            relationship.inverseEntityName = relationship.destinationEntityName
        }
        relationship.maxCount = try archive.integer(object, "NSMaxCount") ?? 0
        relationship.minCount = try archive.integer(object, "NSMinCount") ?? 0
        relationship.isToMany = relationship.maxCount != 1
        relationship.isOrdered = try flag(object, "NSIsOrdered", PropertyBits.ordered)
        relationship.deleteRule = try archive.integer(object, "NSDeleteRule") ?? 0
        return relationship
    }

    private func inverse(of object: KeyedArchive.Object) throws -> KeyedArchive.Object? {
        guard let inverse = try archive.object(object, "NSInverseRelationship") else { return nil }
        guard inverse.className == "_NSPropertyDescriptionProxy" else { return inverse }
        return try archive.object(inverse, "NSUnderlyingProperty")
    }

    func fetchedProperty(_ object: KeyedArchive.Object) throws -> ModelDocument.FetchedProperty {
        let name = try archive.requiredString(object, "NSPropertyName")
        var request = ModelDocument.FetchRequest(name: "", entityName: "")
        if let archived = try archive.object(object, "NSFetchRequest") {
            request = try fetchRequest(archived, name: "")
        }
        if let entityName = try archive.string(object, "_NSFetchRequestEntityName") { request.entityName = entityName }
        var property = ModelDocument.FetchedProperty(name: name, request: request)
        property.traits = try traits(object)
        return property
    }

    func fetchRequest(_ object: KeyedArchive.Object, name: String) throws -> ModelDocument.FetchRequest {
        let entityName =
            if case .string(let name)? = try archive.value(object.fields["NSEntity"]) {
                name
            } else {
                try entityName(object.fields["NSEntity"])
            }
        var request = ModelDocument.FetchRequest(name: name, entityName: entityName ?? "")
        let predicate = try predicates.predicate(object.fields["NSPredicate"])
        request.predicateFormat = try predicate.map(ModelPredicate.text(of:))
        request.sortDescriptors = try (archive.members(object, "NSSortDescriptors") ?? []).map { node in
            guard let sort = try archive.object(node) else {
                throw archive.wrong(object, "NSSortDescriptors", "sort descriptors")
            }
            let selector = try archive.string(sort, "NSSelector")
            return ModelDocument.FetchRequest.Sort(
                key: try archive.string(sort, "NSKey") ?? "", isAscending: try archive.flag(sort, "NSAscending"),
                selectorName: selector == "compare:" ? nil : selector)
        }
        request.fetchLimit = try archive.integer(object, "NSFetchLimit") ?? 0
        request.fetchBatchSize = try archive.integer(object, "NSBatchSize") ?? 0
        request.resultType = try archive.integer(object, "NSResultType") ?? 0
        if try archive.flag(object, "NSHasFetchRequestFlags") {
            let flags = try archive.integer(object, "NSFetchRequestFlags") ?? 30
            request.returnsDistinctResults = flags & FetchRequestBits.distinct != 0
            request.includesSubentities = flags & FetchRequestBits.subentities != 0
            request.includesPropertyValues = flags & FetchRequestBits.propertyValues != 0
            request.returnsObjectsAsFaults = flags & FetchRequestBits.faults != 0
            request.includesPendingChanges = flags & FetchRequestBits.pendingChanges != 0
        }
        return request
    }

    func fetchIndex(_ object: KeyedArchive.Object) throws -> ModelDocument.FetchIndex {
        var index = ModelDocument.FetchIndex(name: try archive.requiredString(object, "NSIndexName"))
        let predicate = try predicates.predicate(object.fields["NSPartialIndexPredicate"])
        index.partialPredicateFormat = try predicate.map(ModelPredicate.text(of:))
        index.elements = try (archive.members(object, "NSIndexElements") ?? []).map { node in
            guard let element = try archive.object(node) else {
                throw archive.wrong(object, "NSIndexElements", "elements")
            }
            return ModelDocument.FetchIndex.Element(
                property: try indexedProperty(element), isAscending: try archive.flag(element, "NSAscending"),
                collation: try archive.integer(element, "NSFetchIndexElementType") ?? 0)
        }
        return index
    }

    /// An expression has an artificial property name; its text defines the indexed value.
    private func indexedProperty(_ element: KeyedArchive.Object) throws -> String {
        if let property = try archive.object(element, "NSIndexedProperty"),
            property.className == "NSExpressionDescription",
            let expression = try predicates.expression(property.fields["NSExpression"])
        {
            if case .evaluatedObject = expression { return "self" }
            return try ModelPredicate.text(of: expression)
        }
        return try archive.requiredString(element, "NSPropertyName")
    }
}
