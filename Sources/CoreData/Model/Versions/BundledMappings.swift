// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The mapping models of a program, in its bundles or given as files, each read once.

import CoreDataModelFiles
import Foundation

/// Skips files that are not mapping models.
final class BundledMappings {
    private let bundles: [Bundle]?
    private let files: [URL]
    private lazy var documents = (files + ModelSearch.mappingLocations(in: bundles)).compactMap {
        try? MappingDocument(mappingFile: Data(contentsOf: $0))
    }

    /// - Parameters:
    ///   - bundles: nil means the main bundle, all loaded bundles, and the resource bundles next to the executable.
    ///   - files: come before those of the bundles.
    init(_ bundles: [Bundle]? = nil, files: [URL] = []) {
        self.bundles = bundles
        self.files = files
    }

    /// The first mapping model whose entities, with their version hashes, are entities of the two models; nil if none
    /// fits.
    func mapping(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> NSMappingModel? {
        if documents.isEmpty { return nil }
        let (old, new) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        for document in documents where Self.fits(document, old, new) {
            if let mappings = try? NSMappingModel.mappings(of: document) {
                return NSMappingModel(entityMappings: mappings)
            }
        }
        return nil
    }

    private static func fits(_ document: MappingDocument, _ old: [String: Data], _ new: [String: Data]) -> Bool {
        !document.entityMappings.isEmpty
            && document.entityMappings.allSatisfy { mapping in
                fits(mapping.sourceEntityName, mapping.sourceEntityHash, old)
                    && fits(mapping.destinationEntityName, mapping.destinationEntityHash, new)
            }
    }

    private static func fits(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
        guard let name else { return true }
        guard let known = hashes[name] else { return false }
        return hash == known
    }
}
