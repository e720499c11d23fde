// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Another context saves, and this one merges.

import CoreData
import CoreDataTestSupport
import Foundation

extension RandomWork {
    func allowsRival(_ work: [Operation]) -> Bool {
        let mine = level.reference
        guard !mine.propagatesLate || mine.state.deleted.isEmpty else { return false }
        var settled = mine
        settled.endEvent()
        guard let theirs = outcome(work) else { return false }
        var met = Set(settled.committed.keys).subtracting(theirs.keys)
        for (name, record) in theirs {
            guard let old = settled.committed[name] else { continue }
            if !record.changedLinks(since: old).isEmpty { met.insert(name) }
        }
        return met.isDisjoint(with: settled.entangled)
    }

    /// The records after a save of another context; nil if it fails.
    func outcome(_ work: [Operation]) -> [String: Record]? {
        var theirs = ReferenceContext(sharing: level.reference.committed)
        for step in work {
            guard theirs.allows(step) else { return nil }
            theirs.change(step)
        }
        theirs.endEvent(forSave: true)
        guard theirs.violations == 0, theirs.hasChanges else { return nil }
        theirs.acceptSave()
        return theirs.committed
    }

    func meetRival(_ work: [Operation], _ byIDs: Bool) throws -> [String] {
        process()
        let level = level
        let rival = Level(
            stack.newContext(), ReferenceContext(sharing: level.reference.committed),
            ids: level.ids.filter { !$0.value.isTemporaryID })
        let log = NotificationLog(
            byIDs ? .NSManagedObjectContextDidSaveObjectIDs : .NSManagedObjectContextDidSave, of: rival.context)
        for step in work { rival.change(step) }
        let inserted = rival.alive.filter(\.object.isInserted)
        if let failure = rival.context.saveFailure() { return ["the other context could not save: \(failure)"] }
        rival.reference.endEvent(forSave: true)
        rival.reference.acceptSave()
        for (name, object) in inserted where rival.reference.records[name] != nil { level.learn(name, object.objectID) }
        guard let notification = log.notifications.first else { return ["the other context told nobody that it saved"] }
        context.mergeChanges(fromContextDidSave: notification)
        // No notification reports an object that only refreshed objects retained, and that the merge therefore
        // released.
        let registered = level.names(context.deletedObjects).union(level.held.keys)
        level.reference.merge(rival.reference.committed) { registered.contains($0) }
        clearUndo()
        return []
    }
}
