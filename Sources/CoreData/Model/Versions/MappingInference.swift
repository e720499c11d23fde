// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Infers the mapping model between two versions of a model. Documentation/Internals/Migration.md.

import CoreDataFoundation
import CoreDataModelFiles
import Foundation

extension NSMappingModel {
    /// Infers the mapping model between two versions of a model.
    ///
    /// Entities and properties belong together when their renaming identifiers are equal; an identifier that was not
    /// set is the name. The models stay as they are, and the result may be changed.
    ///
    /// ```swift
    /// let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    /// ```
    ///
    /// - Throws: 134190 with the keys `entity`, `property` and `reason`, for a change without an obvious mapping: a new
    ///   type that cannot hold the old values, or a new common ancestor of unrelated entities.
    /// - Complexity: in proportion to the properties of the models, inherited ones counted for each entity.
    public class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try MappingInference(source: sourceModel, destination: destinationModel).run()
    }
}

/// One inference.
struct MappingInference {
    private let pairing: ModelPairing
    private let sourceHashes: [String: Data]
    private let destinationHashes: [String: Data]

    init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
        pairing = ModelPairing(source: source, destination: destination)
        sourceHashes = source.entityVersionHashesByName
        destinationHashes = destination.entityVersionHashesByName
    }

    /// - Throws: 134190.
    func run() throws -> NSMappingModel {
        if let obstacle = ModelDifference(pairing: pairing).obstacles.first {
            throw CoreDataError.notInferable(obstacle.entity, obstacle.property, reason: obstacle.reason)
        }
        return NSMappingModel(entityMappings: try pairing.entities.map(mapping))
    }

    private func mapping(_ pair: ModelPairing.Entity) throws -> NSEntityMapping {
        let mapping = NSEntityMapping()
        let (source, destination) = (pair.source?.name, pair.destination?.name)
        mapping.mappingType = kind(pair)
        mapping.name = "IEM_\(Self.word(mapping.mappingType))_\(destination ?? source ?? "")"
        mapping.sourceEntityName = source
        mapping.sourceEntityVersionHash = source.flatMap { sourceHashes[$0] }
        mapping.destinationEntityName = destination
        mapping.destinationEntityVersionHash = destination.flatMap { destinationHashes[$0] }
        if destination == nil { return mapping }
        if let source {
            let all = MappingExpression.sourceObjects(of: source, filter: nil)
            mapping.sourceExpression = NSExpression(try ModelPredicate.tree(ofExpression: all))
        }
        mapping.attributeMappings = pair.properties.filter { $0.destination is NSAttributeDescription }.map {
            property in
            NSPropertyMapping(property.destination.name, Self.origin(property).map { .sourceValue($0) })
        }
        mapping.relationshipMappings = pair.properties.filter { $0.destination is NSRelationshipDescription }.map {
            NSPropertyMapping($0.destination.name, Self.origin($0).map { .destinations(ofSourceRelationship: $0) })
        }
        if mapping.mappingType == .transformEntityMappingType { mapping.userInfo = Self.changes(pair) }
        return mapping
    }

    private func kind(_ pair: ModelPairing.Entity) -> NSEntityMappingType {
        guard let destination = pair.destination?.name else { return .removeEntityMappingType }
        guard let source = pair.source?.name else { return .addEntityMappingType }
        let isSame = source == destination && sourceHashes[source] == destinationHashes[destination]
        return isSame ? .copyEntityMappingType : .transformEntityMappingType
    }

    private static func word(_ type: NSEntityMappingType) -> String {
        switch type {
        case .addEntityMappingType: "Add"
        case .removeEntityMappingType: "Remove"
        case .copyEntityMappingType: "Copy"
        default: "Transform"
        }
    }

    /// The old name; nil for a new property, and for one that the store computes.
    private static func origin(_ property: ModelPairing.Property) -> String? {
        property.destination is NSDerivedAttributeDescription ? nil : property.source?.name
    }

    private static func changes(_ pair: ModelPairing.Entity) -> [AnyHashable: Any] {
        let mapped = pair.properties.filter { origin($0) != nil }.map(\.destination.name)
        let added = pair.properties.filter { origin($0) == nil }.map(\.destination.name)
        return [
            "mappedProperties": Set(mapped), "addedProperties": Set(added),
            "removedProperties": Set(pair.lost.map(\.name)),
        ]
    }
}

extension NSExpression {
    /// The value of the source object, without its conversion.
    fileprivate static func sourceValue(_ name: String) -> NSExpression { NSExpression(sourceValueSyntax(name)) }

    /// The objects made for the destinations of a relationship of the source object.
    fileprivate static func destinations(ofSourceRelationship name: String) -> NSExpression {
        NSExpression(
            .function(
                name: PredicateFunctions.call,
                arguments: [
                    .variable("manager"),
                    .constant("destinationInstancesForSourceRelationshipNamed:sourceInstances:"), .constant(name),
                    sourceValueSyntax(name),
                ]))
    }

    private static func sourceValueSyntax(_ name: String) -> ExpressionSyntax {
        .function(
            name: PredicateFunctions.call, arguments: [.variable("source"), .constant("valueForKey:"), .constant(name)])
    }
}
