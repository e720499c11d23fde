// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One running migration: its two stores, its associations, and the saves that limit its memory.

import Foundation

/// The two endpoints and the associations between their objects.
final class MigrationSession {
    /// The number of objects between saves. They take a few megabytes of memory.
    private static let largestBurst = 4096
    /// The number of objects in memory, at both ends, that ends a burst early: one object may realize many others.
    private static let mostRegistered = 32_768
    /// The number of objects between two counts of those in memory.
    private static let counted = 16

    let source: MigrationEndpoint
    let destination: MigrationEndpoint
    let expressions: MappingExpressions
    let inverseLinks: InverseLinks
    /// nil for a migration that fails on the first object that cannot be migrated.
    let quarantine: ObjectQuarantine?
    private let cancellation: Cancellation
    private var tables: [String: AssociationTable] = [:]
    /// The tables in the order of their names.
    private var orderedTables: [AssociationTable] = []
    private var worked = 0
    /// The objects that stayed in memory after the last burst, for example because a policy retains them.
    private var held = 0
    /// Whether a part of the objects has been saved.
    private(set) var hasSaved = false

    init(
        source: MigrationEndpoint, destination: MigrationEndpoint, _ manager: NSMigrationManager,
        _ model: NSMappingModel
    ) {
        self.source = source
        self.destination = destination
        expressions = MappingExpressions(manager)
        inverseLinks = InverseLinks(
            model, source: source.model, destination: destination.model,
            isPlain: source.store.type == NSSQLiteStoreType && type(of: manager) == NSMigrationManager.self)
        cancellation = manager.state.cancellation
        quarantine = manager.state.quarantine
    }

    // MARK: Associations

    func table(_ name: String) -> AssociationTable {
        if let table = tables[name] { return table }
        let table = AssociationTable(source: source, destination: destination)
        tables[name] = table
        orderedTables = tables.sorted { $0.key < $1.key }.map(\.value)
        return table
    }

    /// nil for a mapping without associations.
    func knownTable(_ name: String) -> AssociationTable? { tables[name] }

    /// The objects that all mappings have made of source objects, grouped by source object.
    func destinations(of objects: [NSManagedObject]) -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        for object in objects {
            let entity = object.table.layout.index
            for table in orderedTables where table.sourceEntities.contains(entity) {
                found += table.destinations(of: object)
            }
        }
        return found
    }

    /// The source objects of an object, of all mappings.
    func sources(of object: NSManagedObject) -> [NSManagedObject] {
        orderedTables.flatMap { $0.sources(of: [object]) }
    }

    /// The first destination object of each of some source objects. Called when all objects are saved.
    func partners(of keys: Set<MigratedKey>) -> [MigratedKey: MigratedKey] {
        keys.isEmpty ? [:] : orderedTables.reduce(into: [:]) { $1.addPartners(of: keys, to: &$0) }
    }

    /// Removes the associations of objects that were not saved.
    func forget(_ objects: [NSManagedObject]) {
        for table in tables.values { table.forget(Set(objects.map(ObjectIdentifier.init))) }
    }

    // MARK: Entities

    /// The entity of the objects that a mapping makes; nil for a mapping that makes none.
    ///
    /// - Throws: 134110 for an abstract entity.
    func destinationEntity(of mapping: NSEntityMapping) throws -> NSEntityDescription? {
        guard let name = mapping.destinationEntityName, let entity = destination.model.entitiesByName[name] else {
            return nil
        }
        guard !entity.isAbstract else {
            throw CoreDataError.unmappable(
                entity: name,
                reason: "The entity is abstract, so the mapping '\(mapping.name ?? "")' cannot make objects")
        }
        return entity
    }

    // MARK: Bursts

    /// Called after each object.
    ///
    /// - Throws: the error of a cancellation; the error of a save.
    func didWork() throws {
        try cancellation.check()
        worked += 1
        if worked >= Self.largestBurst || worked % Self.counted == 0 && isFull { try flush() }
    }

    private var isFull: Bool { source.registered + destination.registered > held + Self.mostRegistered }

    func checkCancellation() throws { try cancellation.check() }

    /// Called after each use of source objects: a failed read gives nil or no members, and the source context is never
    /// saved, so no save reports the error.
    func checkReads() throws {
        let failures = source.context.state.failures
        guard let failure = failures.current else { return }
        failures.forget()
        throw failure.error
    }

    /// Saves without validation. Duplicates are left out if there is a quarantine.
    func save() throws {
        while true {
            do {
                return try destination.context.save()
            } catch {
                try leaveDuplicates(error as NSError)
            }
        }
    }

    /// Saves and releases the objects, if that frees memory.
    ///
    /// A store that is kept in memory and written as a whole would only become slower.
    private func flush() throws {
        worked = 0
        guard destination.store is any MigratingByStatements else { return }
        try save()
        hasSaved = true
        for table in tables.values { table.settle() }
        letGo()
    }

    /// Turns objects into faults if there are many of them. Related objects retain one another.
    func letGoOfMany() {
        if isFull { letGo() }
    }

    private func letGo() {
        source.context.refreshAllObjects()
        destination.context.refreshAllObjects()
        held = source.registered + destination.registered
    }
}
