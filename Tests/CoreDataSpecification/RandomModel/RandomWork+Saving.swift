// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves, and compares the saved records.

import CoreData
import CoreDataTestSupport
import Foundation

extension RandomWork {
    func save() throws -> [String] {
        let level = level
        let inserted = level.reference.state.inserted.map { ($0, level.object($0)) }
        let failure = context.saveFailure()
        endEvent(forSave: true)
        let violations = level.reference.violations
        if violations > 0 {
            let expected = violations == 1 ? [1550, 1600] : [1560]
            guard let failure else { return ["\(violations) broken rules were saved"] }
            return expected.contains(failure.code) ? [] : ["save failed with \(failure), not with \(expected)"]
        }
        if let failure { return ["save failed: \(failure) \(failure.userInfo)"] }
        if levels.count > 1 { handOver(to: levels[levels.count - 2]) }
        level.reference.acceptSave()
        if levels.count > 1 { return [] }
        for (name, object) in inserted where level.reference.records[name] != nil { level.learn(name, object.objectID) }
        var findings: [String] = []
        for (name, _) in inserted where level.ids[name]?.isTemporaryID == true && level.reference.records[name] != nil {
            findings.append("\(name) has a temporary id after the save")
        }
        return try findings + Comparison(reader(stack.newContext())).look(as: "in another context")
    }

    /// One event in the parent.
    func handOver(to parent: Level) {
        parent.reference.take(level.reference)
        for name in level.reference.inserted { if let id = level.ids[name] { parent.learn(name, id) } }
        parent.isDirtyInEvent = level.reference.hasChanges || !level.reference.touched.isEmpty
        endEvent(of: parent)
    }

    /// A context that has not read anything yet.
    func reader(_ context: NSManagedObjectContext) -> Level {
        var ids: [String: NSManagedObjectID] = [:]
        for (name, id) in levels[0].ids {
            ids[name] = context.persistentStoreCoordinator?.managedObjectID(
                forURIRepresentation: id.uriRepresentation())
        }
        return Level(context, ReferenceContext(sharing: levels[0].reference.committed), ids: ids)
    }

    func obtainIDs(_ names: [String]) throws -> [String] {
        let objects = names.map(level.object)
        let before = objects.map(\.objectID)
        try context.obtainPermanentIDs(for: objects)
        var findings: [String] = []
        for (position, (name, object)) in zip(names, objects).enumerated() {
            if object.objectID.isTemporaryID { findings.append("\(name) got no permanent id") }
            if !before[position].isTemporaryID, object.objectID != before[position] {
                findings.append("\(name) got another id")
            }
            for level in levels where level.ids[name] != nil { level.learn(name, object.objectID) }
        }
        return findings
    }
}
