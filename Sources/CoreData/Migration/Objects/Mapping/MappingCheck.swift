// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks that a mapping model fits the source and destination models, before a store is opened.

import Foundation

struct MappingCheck {
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel

    /// - Throws: 134140 with the first entity mapping that names a missing entity or another version of one, or that
    ///   shares its name or has none.
    func check(_ model: NSMappingModel?) throws -> NSMappingModel {
        guard let model else { throw unfit("There is none.") }
        let (old, new) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        var names: Set<String> = []
        for mapping in model.entityMappings ?? [] {
            guard let name = mapping.name, !name.isEmpty else {
                throw unfit("An entity mapping from '\(mapping.sourceEntityName ?? "")' has no name.")
            }
            guard names.insert(name).inserted else { throw unfit("Two entity mappings have the name '\(name)'.") }
            try check(mapping.sourceEntityName, mapping.sourceEntityVersionHash, old, "source", of: name)
            try check(mapping.destinationEntityName, mapping.destinationEntityVersionHash, new, "destination", of: name)
        }
        return model
    }

    private func check(
        _ entity: String?, _ hash: Data?, _ hashes: [String: Data], _ end: String, of mapping: String
    ) throws {
        guard let entity else { return }
        guard let known = hashes[entity] else {
            throw unfit("The mapping '\(mapping)' names the entity '\(entity)', which the \(end) model does not have.")
        }
        guard hash == nil || hash == known else {
            throw unfit("The mapping '\(mapping)' was made for another version of the \(end) entity '\(entity)'.")
        }
    }

    private func unfit(_ reason: String) -> NSError {
        CoreDataError.unfitMapping(reason, source: source, destination: destination)
    }
}
