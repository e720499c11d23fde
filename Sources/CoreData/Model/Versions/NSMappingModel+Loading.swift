// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads mapping models from files, and finds the one that fits two models in the bundles of a program.

import CoreDataFoundation
package import CoreDataModelFiles
public import Foundation

extension NSMappingModel {
    /// Reads a compiled mapping model.
    ///
    /// - Parameter url: a `.cdm`.
    /// - Returns: nil if there is no file or it does not contain a mapping model, and for a nil URL.
    public convenience init?(contentsOf url: URL?) {
        guard let url, let mappings = try? Self.mappings(contentsOf: url) else { return nil }
        self.init(entityMappings: mappings)
    }

    /// Finds the mapping model between two versions of a model in bundles.
    ///
    /// ```swift
    /// let mapping = NSMappingModel(from: nil, forSourceModel: old, destinationModel: new)
    /// ```
    ///
    /// - Parameters:
    ///   - bundles: nil means the main bundle, all loaded bundles, and the resource bundles next to the executable.
    ///   - sourceModel: the version that wrote the store.
    ///   - destinationModel: the version that the store is migrated to.
    /// - Returns: the first mapping model whose entities, with their version hashes, are entities of the two models;
    ///   nil if none fits, and for a nil model.
    /// - Complexity: reads each mapping model of the bundles.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        guard let found = BundledMappings(bundles).mapping(from: sourceModel, to: destinationModel) else { return nil }
        self.init(entityMappings: found.entityMappings)
    }

    /// - Throws: `ModelFileError` for a file that is not a mapping model; the error of the file system.
    static func mappings(contentsOf url: URL) throws -> [NSEntityMapping] {
        try mappings(of: MappingDocument(mappingFile: Data(contentsOf: url)))
    }

    /// - Throws: `ModelFileError` for an expression that cannot be parsed.
    static func mappings(of document: MappingDocument) throws -> [NSEntityMapping] {
        try document.entityMappings.map(NSEntityMapping.init(document:))
    }

    /// The mapping model as a document, for a file.
    package func document() -> MappingDocument { MappingDocument(entityMappings: entityMappings.map { $0.document() }) }
}

extension NSEntityMapping {
    /// - Throws: `ModelFileError` for an expression that cannot be parsed.
    fileprivate convenience init(document: MappingDocument.EntityMapping) throws {
        self.init()
        name = document.name
        mappingType = NSEntityMappingType(rawValue: UInt(document.kind.rawValue)) ?? .undefinedEntityMappingType
        sourceEntityName = document.sourceEntityName
        sourceEntityVersionHash = document.sourceEntityHash
        destinationEntityName = document.destinationEntityName
        destinationEntityVersionHash = document.destinationEntityHash
        sourceExpression = try document.sourceExpression.map(Self.expression)
        attributeMappings = try document.attributes.map(Self.property)
        relationshipMappings = try document.relationships.map(Self.property)
        entityMigrationPolicyClassName = document.policyClassName.flatMap { $0.isEmpty ? nil : $0 }
        userInfo = Self.userInfo(document.userInfo)
    }

    private static func property(_ document: MappingDocument.PropertyMapping) throws -> NSPropertyMapping {
        let mapping = NSPropertyMapping(document.name, try document.valueExpression.map(expression))
        mapping.userInfo = userInfo(document.userInfo)
        return mapping
    }

    private static func expression(_ text: String) throws -> NSExpression {
        NSExpression(try ModelPredicate.tree(ofExpression: text))
    }

    private static func userInfo(_ values: [String: PropertyListValue]) -> [AnyHashable: Any]? {
        values.isEmpty ? nil : values.mapValues { $0.foundationValue ?? NSNull() }
    }

    fileprivate func document() -> MappingDocument.EntityMapping {
        var document = MappingDocument.EntityMapping(name: name ?? "", kind: .init(mappingType))
        document.sourceEntityName = sourceEntityName
        document.sourceEntityHash = sourceEntityVersionHash
        document.destinationEntityName = destinationEntityName
        document.destinationEntityHash = destinationEntityVersionHash
        document.sourceExpression = sourceExpression?.description
        document.attributes = (attributeMappings ?? []).map(Self.document)
        document.relationships = (relationshipMappings ?? []).map(Self.document)
        document.policyClassName = entityMigrationPolicyClassName
        document.userInfo = PropertyListValue.dictionary(of: userInfo)
        return document
    }

    private static func document(_ mapping: NSPropertyMapping) -> MappingDocument.PropertyMapping {
        var document = MappingDocument.PropertyMapping(
            name: mapping.name ?? "", valueExpression: mapping.valueExpression?.description)
        document.userInfo = PropertyListValue.dictionary(of: mapping.userInfo)
        return document
    }
}

extension MappingDocument.EntityMapping.Kind {
    fileprivate init(_ type: NSEntityMappingType) {
        self = Self(rawValue: Int(type.rawValue)) ?? .undefined
    }
}
