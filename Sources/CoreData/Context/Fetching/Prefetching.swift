// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads related objects along with a fetch: for each step of a key path a bounded number of statements.

import Foundation

struct Prefetching {
    private let faults: FaultFulfilment
    private let prepared: PreparedFetch

    init(_ faults: FaultFulfilment, _ prepared: PreparedFetch) {
        self.faults = faults
        self.prepared = prepared
    }

    /// - Throws: 134060 for a key path that does not consist of relationships.
    func run(_ keyPaths: [String], _ objects: [NSManagedObject]) throws {
        let paths = KeyPathResolver(model: prepared.model)
        for keyPath in keyPaths {
            var level = objects
            let steps = try paths.resolve(keyPath, from: prepared.layout).steps
            for (number, step) in steps.enumerated() {
                if number > 0 { level = distinct(level) }
                level = try follow(step, level, keyPath)
            }
        }
    }

    private func follow(_ step: PathStep, _ objects: [NSManagedObject], _ keyPath: String) throws -> [NSManagedObject] {
        let place = prepared.model.layouts[step.layoutIndex][step.slot]
        faults.realizeAll(objects.filter(\.isFault))
        var found: [NSManagedObject] = []
        switch place.kind {
        case .reference:
            found = objects.compactMap { $0.destination(step.slot) }
        case .toMany:
            for (_, group) in Dictionary(grouping: objects, by: { ObjectIdentifier($0.table.layout) }) {
                faults.realizeMembers(of: step.slot, in: group)
                for object in group { found += object.members(step.slot) }
            }
        default:
            throw CoreDataError.general("'\(keyPath)' is no key path of relationships: it cannot be prefetched.")
        }
        try faults.prime(found.filter { $0.isFault })
        return found
    }

    private func distinct(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
