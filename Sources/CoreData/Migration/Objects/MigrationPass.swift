// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The three phases of a migration by objects: instances, relationships, validation. Migration-M36 to M39.

import Foundation

/// # Order
///     for each mapping:  begin ─▶ createDestinationInstances … ─▶ endInstanceCreation
///     for each mapping:  createRelationships … ─▶ endRelationshipCreation
///     for each mapping:  performCustomValidation
///     rules of the model ─▶ save ─▶ for each mapping: end
struct MigrationPass {
    /// The number of objects that are read at once.
    static let batch = 256
    /// The number of objects between two reports of the progress.
    private static let reported = 16

    private struct Work {
        let mapping: NSEntityMapping
        let policy: NSEntityMigrationPolicy
    }

    private let manager: NSMigrationManager
    private let session: MigrationSession
    private let works: [Work]

    /// - Throws: 134170 for a policy class that does not exist.
    init(_ manager: NSMigrationManager, _ session: MigrationSession, _ model: NSMappingModel) throws {
        self.manager = manager
        self.session = session
        works = try (model.entityMappings ?? []).map { mapping in
            Work(mapping: mapping, policy: try PolicyClasses.policy(for: mapping))
        }
    }

    func run() throws {
        session.destination.setValidates(false)
        for (position, work) in works.enumerated() { try createInstances(work, position) }
        for (position, work) in works.enumerated() { try createRelationships(work, position) }
        // The result of a pass with failures is discarded.
        if session.quarantine?.isSpoilt == true { return }
        for work in works {
            try step(work) { try $0.policy.performCustomValidation(forMapping: $0.mapping, manager: manager) }
        }
        if session.quarantine == nil { try validate() } else { try session.leaveInvalid() }
        if session.quarantine?.isSpoilt == true { return }
        try session.checkCancellation()
        session.destination.setValidates(true)
        try session.destination.context.save()
        for work in works { try step(work) { try $0.policy.end($0.mapping, manager: manager) } }
    }

    // MARK: Phases

    private func createInstances(_ work: Work, _ position: Int) throws {
        try step(work) { try $0.policy.begin($0.mapping, with: manager) }
        let instances = try SourceInstances(work.mapping, work.policy, session)
        // Only a policy of the program receives the objects of a removed entity.
        let isNeeded = work.mapping.mappingType != .removeEntityMappingType || work.mapping.hasOwnPolicy
        for index in 0..<(isNeeded ? instances.count : 0) {
            let object = try instances.object(at: index)
            if session.quarantine?.leavesOut(object) == true { continue }
            do {
                try work.policy.createDestinationInstances(forSource: object, in: work.mapping, manager: manager)
                try session.checkReads()
            } catch {
                try session.leave(object, error)
            }
            try session.didWork()
            if index % Self.reported == 0 { report(position, Double(index) / Double(instances.count)) }
        }
        try step(work) { try $0.policy.endInstanceCreation(forMapping: $0.mapping, manager: manager) }
    }

    private func createRelationships(_ work: Work, _ position: Int) throws {
        manager.state.currentMapping = work.mapping
        let table = session.knownTable(work.mapping.name ?? "")
        // A policy may associate more objects during the loop; they are processed as well.
        var start = 0
        while let table, start < table.count {
            let end = min(start + Self.batch, table.count)
            let objects = (start..<end).map(table.destination(at:))
            session.destination.realize(objects)
            session.source.realize((start..<end).map(table.source(at:)))
            for (index, object) in objects.enumerated() where table.isFirst(at: start + index, object) {
                if object.isMarkedDeleted { continue }
                do {
                    try work.policy.createRelationships(forDestination: object, in: work.mapping, manager: manager)
                    try session.checkReads()
                } catch {
                    try session.leave(sourcesOf: object, error)
                }
                try session.didWork()
                if index % Self.reported == 0 {
                    report(works.count + position, Double(start + index) / Double(table.count))
                }
            }
            report(works.count + position, Double(end) / Double(table.count))
            start = end
        }
        try step(work) { try $0.policy.endRelationshipCreation(forMapping: $0.mapping, manager: manager) }
    }

    /// Validates objects that were saved without validation. The last save validates the others.
    private func validate() throws {
        guard session.hasSaved else { return }
        for entity in session.destination.model.entities where entity.superentity == nil {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = entity
            request.fetchBatchSize = Self.batch
            request.returnsObjectsAsFaults = false
            let objects = try session.destination.context.fetchPaged(request, keptPages: 1)
            for position in 0..<objects.count {
                try objects.object(at: position).validateForInsert()
                if position % Self.batch == 0 {
                    try session.checkCancellation()
                    session.letGoOfMany()
                }
            }
        }
    }

    // MARK: Parts

    private func step(_ work: Work, _ body: (Work) throws -> Void) throws {
        manager.state.currentMapping = work.mapping
        try session.checkCancellation()
        try body(work)
        try session.checkReads()
    }

    /// - Parameters:
    ///   - done: how many mappings are done in both phases.
    ///   - part: the completed part of the current mapping.
    private func report(_ done: Int, _ part: Double) {
        manager.state.report((Double(done) + part) / Double(2 * works.count))
    }
}

extension NSEntityMapping {
    /// Whether the mapping names a policy class of the program.
    var hasOwnPolicy: Bool { entityMigrationPolicyClassName.map { !$0.isEmpty } ?? false }
}
