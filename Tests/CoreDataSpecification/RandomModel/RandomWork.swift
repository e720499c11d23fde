// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Performs operations on contexts and on the reference, and reports their differences.

import CoreData
import CoreDataTestSupport
import Foundation

final class RandomWork {
    static let deepest = 3

    let stack: Stack
    /// The working context, after its parents.
    var levels: [Level]

    var level: Level { levels[levels.count - 1] }
    var references: [ReferenceContext] { levels.map(\.reference) }
    var context: NSManagedObjectContext { level.context }

    init(_ kind: StoreKind, _ settings: Settings) throws {
        stack = try Stack(kind, World.model)
        let context = stack.newContext(.privateQueueConcurrencyType)
        context.propagatesDeletesAtEndOfEvent = !settings.propagatesLate
        var reference = ReferenceContext()
        reference.propagatesLate = settings.propagatesLate
        reference.history.isRecording = settings.hasUndo
        levels = [Level(context, reference)]
        if settings.hasUndo { Self.recordUndo(context) }
    }

    /// - Returns: the differences.
    func perform(_ operation: Operation) throws -> [String] {
        guard allows(operation) else { return [] }
        switch operation {
        case .begin(let undo): begin(undo: undo)
        case .end: return try end()
        default:
            var findings = try context.performAndWait { try carryOut(operation) + mourn() }
            for level in levels { findings += level.context.performAndWait { forgetGone(level) } }
            if !findings.isEmpty { return findings }
        }
        return levels.flatMap { level in
            level.context.performAndWait { Comparison(level).glance() + level.context.innerFindings }
        }
    }

    /// Whether the store has the same contents, as another context sees it, and another coordinator where possible.
    func finish() throws -> [String] {
        while levels.count > 1 {
            let findings = try perform(.look) + perform(.end)
            if !findings.isEmpty { return findings }
        }
        let findings = try perform(.look) + perform(.save) + perform(.rollback) + perform(.look)
        guard findings.isEmpty, stack.kind.isPersistent else { return findings }
        let (coordinator, other) = try stack.secondCoordinator()
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        return try Comparison(reader(other)).look(as: "in the file")
    }

    func allows(_ operation: Operation) -> Bool {
        let reference = level.reference
        switch operation {
        case .rival(let work, _): return levels.count == 1 && allowsRival(work)
        case .begin: guard levels.count < Self.deepest else { return false }
        case .end: return levels.count > 1
        default: break
        }
        guard reference.allows(operation) else { return false }
        guard operation.isChange, reference.history.isRecording else { return true }
        // It is unspecified whether a change to the same value is a step of undo.
        var after = reference
        after.change(operation)
        return after.state != reference.state
    }

    func carryOut(_ operation: Operation) throws -> [String] {
        let level = level
        switch operation {
        case .process: process()
        case .closeGroup:
            process()
            beginGroup()
        case .undo, .redo: travel(operation)
        case .save: return try save()
        case .rollback:
            context.rollback()
            level.reference.rollback()
        case .permanentIDs(let names): return try obtainIDs(names)
        case .refresh(let name, let merge): refresh(name, merge)
        case .refreshAll: refreshAll()
        case .reset: return reset()
        case .hold(let name): level.held[name] = level.object(name)
        case .drop(let name): level.held[name] = nil
        case .dropAll: return dropAll()
        case .rival(let work, let byIDs): return try meetRival(work, byIDs)
        case .look:
            endEvent()
            return try Comparison(level).look()
        case .ask(let query):
            endEvent()
            return try Comparison(level).ask(query, levels)
        default: level.change(operation)
        }
        return []
    }
}
