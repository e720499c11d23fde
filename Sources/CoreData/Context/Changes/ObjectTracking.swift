// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserting and deleting: how an object enters the lists of changes.

import CRuntime
import Foundation

extension NSManagedObjectContext {
    /// The object is about to change for the first time in this event.
    func willChange(_ object: NSManagedObject) {
        object.checkOwnership()
        scheduleTurnEnd()
        if object.flags.contains(.inEvent) { tracker.renewBase(of: object) } else { tracker.enterEvent(object) }
        object.flags.insert(.updatedInEvent)
        if !object.flags.contains(.inserted) { object.flags.insert(.updated) }
        tracker.list(object)
        announceHasChanges(true)
    }

    func insertObject(_ object: NSManagedObject) {
        if object.table.owner === self {
            // Inserting what is marked for deletion takes the mark away.
            guard object.flags.contains(.deleted) else { return }
            let isCutOff = object.flags.contains(.propagated)
            unmarkDeleted(object)
            if isCutOff { object.dropHalfLinks() }
        } else {
            takeInAnew(object)
            object.dropHalfLinks()
        }
    }

    private func takeInAnew(_ object: NSManagedObject) {
        precondition(object.table.owner == nil, "\(object) belongs to another context already.")
        guard let layout = registry.model.layout(of: object.entity) else {
            preconditionFailure("The context's model has no entity '\(object.entity.name ?? "")'.")
        }
        if layout !== object.table.layout { object.move(to: layout) }
        if object.key > 0 { object.becomeUnsaved() }
        object.take(registry.table(layout.index, nil))
        enter(object)
    }

    /// Takes in an object that has one of this context's tables but is not registered yet.
    func enter(_ object: NSManagedObject) {
        checkQueue()
        precondition(
            !object.heldTable.look { $0.layout.isAbstract },
            "'\(object.table.layout.name)' is abstract: insert an object of one of its subentities.")
        scheduleTurnEnd()
        tracker.enterEvent(object, registered: false)
        object.heldTable.look { $0.identityMap.register(object, object.key) }
        let isNew = !object.flags.contains(.awoken)
        object.flags.insert([.inserted, .insertedInEvent, .updatedInEvent, .awoken])
        tracker.list(object)
        retain(object)
        announceHasChanges(true)
        if isNew { object.awakeFromInsert() }
    }

    func deleteObject(_ object: NSManagedObject) {
        guard object.table.owner === self else {
            precondition(object.table.owner == nil, "\(object) belongs to another context: delete it there.")
            return
        }
        object.prepareForDeletion()
        if !object.flags.contains(.deleted) { markDeleted(object) }
    }

    /// Marks an object for deletion; nobody is called.
    func markDeleted(_ object: NSManagedObject) {
        scheduleTurnEnd()
        if recordsUndo { tracker.enterEvent(object) } else { tracker.enterUnchanged(object) }
        object.flags.insert([.deleted, .deletedInEvent])
        tracker.list(object)
        tracker.nextDeletions?.append(object)
        announceHasChanges(true)
    }

    /// Takes the mark away again.
    func unmarkDeleted(_ object: NSManagedObject) {
        tracker.enterEvent(object)
        object.flags.subtract([.deleted, .propagated, .deletedInEvent])
    }

    /// Takes in an insertion that is registered and has its values: a child's.
    func takeIn(_ object: NSManagedObject) {
        scheduleTurnEnd()
        tracker.enterEvent(object, registered: false)
        object.flags.insert([.insertedInEvent, .updatedInEvent])
        tracker.list(object)
        retain(object)
        announceHasChanges(true)
    }

    /// On the main queue an event ends with the queue's turn, without being asked.
    @inline(__always) private func scheduleTurnEnd() {
        if concurrencyType == .mainQueueConcurrencyType, !isTurnEndScheduled { endWithTurn() }
    }

    private func endWithTurn() {
        isTurnEndScheduled = true
        queue.afterTurn(of: self) { context in
            context.isTurnEndScheduled = false
            context.processPendingChanges()
        }
    }
}

extension NSManagedObject {
    /// What had a record that was deleted is a new object: it keeps its attributes.
    fileprivate final func becomeUnsaved() {
        let row = realized.copy()
        for slot in table.layout.toOneSlots { row.setNull(slot) }
        snapshot = row
        rare = nil
        flags = flags.intersection(.slotsMatch).union([.ownsSnapshot, .awoken])
        key = TemporaryKey.next()
        take(.detached(table.layout))
    }

    /// Takes an object that was made for another model's entity of the same name over to this one, by property name.
    final func move(to layout: EntityLayout) {
        let old = table.layout
        let row = layout.defaults?.copy() ?? .make(layout)
        if let snapshot {
            for slot in layout.attributeSlots {
                guard let source = old.slot(layout.properties[slot].name) else { continue }
                row.setValue(snapshot.value(source), slot)
            }
        }
        takeDestinations()
        take(.detached(layout))
        snapshot = row
        flags.insert(.ownsSnapshot)
    }
}
