// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the properties, fetch requests and indexes of a compiled model.

import Foundation

extension KeyedModelWriter {
    private mutating func traits(
        _ traits: ModelDocument.PropertyTraits, entity: PropertyListNode, bits: Int
    ) throws -> [String: PropertyListNode] {
        var fields = [
            "NSPropertyName": archive.string(traits.name), "NSEntity": entity,
            "NSRenamingIdentifier": archive.string(traits.renamingIdentifier ?? traits.name),
        ]
        var mask = PropertyBits.always | bits
        for (isSet, key, bit) in [
            (traits.isOptional, "NSIsOptional", PropertyBits.optional),
            (traits.isReadOnly, "NSIsReadOnly", PropertyBits.readOnly),
            (traits.isTransient, "NSIsTransient", PropertyBits.transient),
            (traits.isIndexedBySpotlight, "NSIndexedBySpotlight", PropertyBits.spotlight),
        ] where isSet {
            fields[key] = .boolean(true)
            mask |= bit
        }
        if traits.userInfo.isEmpty {
            mask |= PropertyBits.noUserInfo
        } else {
            fields["NSUserInfo"] = userInfo(traits.userInfo)
        }
        if let modifier = traits.versionHashModifier {
            fields["NSVersionHashModifier"] = archive.string(modifier)
        } else {
            mask |= PropertyBits.noVersionHashModifier
        }
        if traits.validations.isEmpty {
            mask |= PropertyBits.noPredicates | PropertyBits.noWarnings
        } else {
            let predicates = try traits.validations.map { try PredicateEncoder.predicate($0.format, &archive) }
            let warnings = traits.validations.map { archive.value($0.warning ?? .null) }
            fields["NSValidationPredicates"] = archive.array(predicates)
            fields["NSValidationWarnings"] = archive.array(warnings)
        }
        fields["_P"] = .integer(Int64(mask))
        return fields
    }

    mutating func write(_ attribute: ModelDocument.Attribute, of entity: ModelDocument.Entity) throws {
        let owner = try entityReference(entity.name, "being written")
        var (className, fields) = try self.fields(attribute, owner: owner, depth: 0)
        let isIndexed = entity.indexes.contains { $0.elements.map(\.property) == [attribute.traits.name] }
        if isIndexed { fields["NSIsIndexed"] = .boolean(true) }
        let key = PropertyKey(entity: entity.name, property: attribute.traits.name)
        archive.fill(propertyPlaces[key] ?? 0, className, fields)
    }

    private mutating func fields(
        _ attribute: ModelDocument.Attribute, owner: PropertyListNode, depth: Int
    ) throws -> (String, [String: PropertyListNode]) {
        guard depth < 32 else {
            throw ModelFileError(.unsupportedForm, "The composite '\(attribute.traits.name)' is nested too deep.")
        }
        let bits = attribute.allowsCloudEncryption ? PropertyBits.cloudEncryption : 0
        var fields = try traits(attribute.traits, entity: owner, bits: bits)
        fields["NSAttributeType"] = .integer(Int64(attribute.type))
        fields["NSAttributeValueClassName"] = archive.string(attribute.valueClassName)
        fields["NSDefaultValue"] = archive.value(attribute.defaultValue)
        fields["NSValueTransformerName"] = archive.string(attribute.valueTransformerName)
        let external = attribute.allowsExternalBinaryDataStorage ? AttributeBits.externalStorage : 0
        let preserved = attribute.preservesValueInHistoryOnDeletion ? AttributeBits.preservedInHistory : 0
        fields["NSFlagsKey"] = .integer(Int64(external | preserved))
        if attribute.allowsCloudEncryption { fields["NSAllowsCloudEncryption"] = .boolean(true) }
        if let derivation = attribute.derivationExpression {
            fields["NSDerivationExpression"] =
                derivation.isEmpty ? KeyedArchiveBuilder.null : try PredicateEncoder.expression(derivation, &archive)
            fields["NSFilteringPredicate"] = KeyedArchiveBuilder.null
            return ("NSDerivedAttributeDescription", fields)
        }
        guard attribute.type == AttributeKind.composite.rawValue else { return ("NSAttributeDescription", fields) }
        let elements = try attribute.elements.map { element in
            let (className, fields) = try self.fields(element, owner: owner, depth: depth + 1)
            return archive.object(className, fields)
        }
        fields["NSCompositeElements"] = archive.array(elements, className: "NSMutableArray")
        return ("NSCompositeAttributeDescription", fields)
    }

    mutating func write(_ relationship: ModelDocument.Relationship, of entity: ModelDocument.Entity) throws {
        let owner = try entityReference(entity.name, "being written")
        let bits = relationship.isOrdered ? PropertyBits.ordered : 0
        var fields = try traits(relationship.traits, entity: owner, bits: bits)
        let destination = relationship.destinationEntityName
        fields["NSDestinationEntity"] =
            entityPlaces[destination].map(PropertyListNode.reference) ?? KeyedArchiveBuilder.null
        fields["_NSDestinationEntityName"] = archive.string(destination)
        fields["NSInverseRelationship"] = inverse(of: relationship)
        fields["_NSInverseRelationshipName"] = archive.string(relationship.inverseName)
        fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule))
        fields["NSMinCount"] = .integer(Int64(relationship.minCount))
        fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
        if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
        let key = PropertyKey(entity: entity.name, property: relationship.traits.name)
        archive.fill(propertyPlaces[key] ?? 0, "NSRelationshipDescription", fields)
    }

    /// The destination or its superentity may declare the inverse.
    private func inverse(of relationship: ModelDocument.Relationship) -> PropertyListNode {
        guard let name = relationship.inverseName,
            let entity = entitiesByName[relationship.inverseEntityName ?? relationship.destinationEntityName]
        else { return KeyedArchiveBuilder.null }
        for holder in [entity] + ancestors(of: entity)
        where holder.relationships.contains(where: { $0.traits.name == name }) {
            return propertyReference(holder.name, name)
        }
        return KeyedArchiveBuilder.null
    }

    mutating func write(_ property: ModelDocument.FetchedProperty, of entity: ModelDocument.Entity) throws {
        let owner = try entityReference(entity.name, "being written")
        var fields = try traits(property.traits, entity: owner, bits: 0)
        fields["NSFetchRequest"] = try fetchRequest(property.request)
        fields["_NSFetchRequestEntityName"] = archive.string(property.request.entityName)
        let key = PropertyKey(entity: entity.name, property: property.traits.name)
        archive.fill(propertyPlaces[key] ?? 0, "NSFetchedPropertyDescription", fields)
    }

    mutating func fetchRequest(_ request: ModelDocument.FetchRequest) throws -> PropertyListNode {
        let sorts = request.sortDescriptors.map { sort in
            let (key, selector) = (archive.string(sort.key), archive.string(sort.selectorName ?? "compare:"))
            return archive.object(
                "NSSortDescriptor",
                [
                    "NSKey": key, "NSSelector": selector, "NSAscending": .boolean(sort.isAscending),
                    "NSReverseNullOrder": .boolean(false),
                ])
        }
        var flags = 0
        if request.returnsDistinctResults { flags |= FetchRequestBits.distinct }
        if request.includesSubentities { flags |= FetchRequestBits.subentities }
        if request.includesPropertyValues { flags |= FetchRequestBits.propertyValues }
        if request.returnsObjectsAsFaults { flags |= FetchRequestBits.faults }
        if request.includesPendingChanges { flags |= FetchRequestBits.pendingChanges }
        let null = KeyedArchiveBuilder.null
        let fields: [String: PropertyListNode] = [
            "NSEntity": try entityReference(request.entityName, "what the fetch request '\(request.name)' asks for"),
            "NSPredicate": try request.predicateFormat.map { try PredicateEncoder.predicate($0, &archive) } ?? null,
            "NSSortDescriptors": sorts.isEmpty ? null : archive.array(sorts),
            "NSFetchLimit": .integer(Int64(request.fetchLimit)), "NSFetchOffset": .integer(0),
            "NSBatchSize": .integer(Int64(request.fetchBatchSize)), "NSResultType": .integer(Int64(request.resultType)),
            "NSHasFetchRequestFlags": .boolean(true), "NSFetchRequestFlags": .integer(Int64(flags)),
            "NSAllocationType": .integer(0), "NSHavingPredicate": null, "NSValuesToFetch": null,
            "NSValuesToGroupBy": null, "NSRelationshipKeyPathsForPrefetching": null,
        ]
        return archive.object("NSFetchRequest", fields)
    }

    mutating func fetchIndex(
        _ index: ModelDocument.FetchIndex, of entity: ModelDocument.Entity
    ) throws -> PropertyListNode {
        let place = archive.reserve()
        let names = Set(([entity] + ancestors(of: entity)).flatMap(Self.propertyNames))
        let elements = try index.elements.enumerated().map { position, element in
            var fields: [String: PropertyListNode] = [
                "NSFetchIndexDescription": .reference(place), "NSAscending": .boolean(element.isAscending),
                "NSFetchIndexElementType": .integer(Int64(element.collation)),
            ]
            if names.contains(element.property) {
                fields["NSPropertyName"] = archive.string(element.property)
            } else {
                let name = "expression\(position + 1)"
                fields["NSPropertyName"] = archive.string(name)
                fields["NSIndexedProperty"] = try expressionProperty(name, element.property)
            }
            return archive.object("NSFetchIndexElementDescription", fields)
        }
        let predicate = try index.partialPredicateFormat.map { try PredicateEncoder.predicate($0, &archive) }
        archive.fill(
            place, "NSFetchIndexDescription",
            [
                "NSIndexName": archive.string(index.name), "NSIndexElements": archive.array(elements),
                "NSEntity": try entityReference(entity.name, "being written"),
                "NSPartialIndexPredicate": predicate ?? KeyedArchiveBuilder.null,
            ])
        return .reference(place)
    }

    /// A name that is not a property is an expression such as `entity`, with an artificial property name.
    private mutating func expressionProperty(_ name: String, _ text: String) throws -> PropertyListNode {
        var traits = ModelDocument.PropertyTraits(name: name)
        traits.isOptional = true
        traits.isReadOnly = true
        var fields = try self.traits(traits, entity: KeyedArchiveBuilder.null, bits: 0)
        fields["NSExpression"] = try PredicateEncoder.expression(text, &archive)
        fields["NSExpressionType"] = .integer(0)
        return archive.object("NSExpressionDescription", fields)
    }
}
