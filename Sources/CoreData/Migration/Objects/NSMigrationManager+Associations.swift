// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The associations of a migration: which destination objects come from which source objects.

import Foundation

extension NSMigrationManager {
    /// Records that an object of the destination comes from an object of the source. An object may have several
    /// partners.
    ///
    /// Traps while no migration runs, and for a mapping without a name.
    public final func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        guard let name = entityMapping.name else {
            preconditionFailure("An entity mapping needs a name before objects are associated for it.")
        }
        session.table(name).associate(sourceInstance, destinationInstance)
    }

    /// The objects that an entity mapping has made of source objects, each once, in the order of association.
    ///
    /// - Parameters:
    ///   - mappingName: the name of an entity mapping; an unknown mapping has no objects.
    ///   - sourceInstances: nil means all source objects.
    public final func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        session.knownTable(mappingName)?.destinations(of: sourceInstances) ?? []
    }

    /// The source objects that an entity mapping has converted, each once, in the order of association.
    ///
    /// - Parameters:
    ///   - mappingName: the name of an entity mapping; an unknown mapping has no objects.
    ///   - destinationInstances: nil means all destination objects.
    public final func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        session.knownTable(mappingName)?.sources(of: destinationInstances) ?? []
    }
}
