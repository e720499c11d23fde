// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserts an object that was made outside of the context, or takes the mark of a deletion away.

import Foundation

struct Insertion {
    let tracker: ChangeTracker
    let registry: ObjectRegistry

    func insert(_ object: NSManagedObject) {
        guard tracker.owns(object) else { return insertAnew(object) }
        // Inserting an object that is marked for deletion takes the mark away.
        guard object.flags.contains(.deleted) else { return }
        let isCutOff = object.flags.contains(.propagated)
        tracker.unmarkDeleted(object)
        if isCutOff { object.dropHalfLinks() }
    }

    /// Inserts objects that are in no context and lead to one another: all links stay.
    func insertTogether(_ objects: [NSManagedObject]) {
        let layouts = objects.map { layout(of: $0) }
        let needMove = zip(objects, layouts).contains { $0.table.layout !== $1 }
        if needMove { LinkRecord.moving(objects, to: layouts) }
        for object in objects { enter(object) }
    }

    private func enter(_ object: NSManagedObject) {
        if object.key > 0 { object.becomeUnsaved() }
        object.take(registry.table(object.table.layout.index, nil))
        tracker.insert(object)
    }

    private func layout(of object: NSManagedObject) -> EntityLayout {
        precondition(object.table.owner == nil, "\(object) belongs to another context already.")
        guard let layout = registry.model.layout(of: object.entity) else {
            preconditionFailure("The context's model has no entity '\(object.entity.name ?? "")'.")
        }
        return layout
    }

    private func insertAnew(_ object: NSManagedObject) {
        precondition(object.table.owner == nil, "\(object) belongs to another context already.")
        guard let layout = registry.model.layout(of: object.entity) else {
            preconditionFailure("The context's model has no entity '\(object.entity.name ?? "")'.")
        }
        if layout !== object.table.layout { object.move(to: layout) }
        if object.key > 0 { object.becomeUnsaved() }
        object.take(registry.table(layout.index, nil))
        tracker.insert(object)
        object.dropHalfLinks()
    }
}

extension NSManagedObject {
    /// The object of a deleted record becomes a new insertion: it keeps its attributes.
    fileprivate final func becomeUnsaved() {
        let row = realized.copy()
        for slot in table.layout.toOneSlots { row.setNull(slot) }
        snapshot = row
        objectExtension = nil
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

/// The links of objects in no context, by name, while they change over to other entities.
struct LinkRecord {
    private let object: NSManagedObject
    private let links: [(name: String, targets: [NSManagedObject])]

    private init(_ object: NSManagedObject) {
        self.object = object
        let layout = object.table.layout
        links =
            layout.toOneSlots.map { (layout.properties[$0].name, object.destination($0).map { [$0] } ?? []) }
            + layout.toManySlots.map { (layout.properties[$0].name, Array(object.members($0))) }
    }

    /// Links are undone, and made again when all objects have their new entities.
    static func moving(_ objects: [NSManagedObject], to layouts: [EntityLayout]) {
        let records = objects.map(LinkRecord.init)
        for object in objects {
            for slot in object.table.layout.toOneSlots { object.setDestination(nil, slot) }
            for slot in object.table.layout.toManySlots { object.setMembers([], slot) }
        }
        for (object, layout) in zip(objects, layouts) where object.table.layout !== layout {
            object.move(to: layout)
            object.objectExtension = nil
        }
        for record in records { record.restore() }
    }

    private func restore() {
        let layout = object.table.layout
        for link in links {
            guard let slot = layout.slot(link.name) else { continue }
            if layout[slot].kind == .toMany {
                object.setMembers(link.targets, slot)
            } else if let target = link.targets.first {
                object.setDestination(target, slot)
            }
        }
    }
}

extension NSManagedObject {
    /// Takes an object that is in no context over to another entity, by property name; its links stay.
    package final func become(_ entity: NSEntityDescription) {
        guard let companion = EntityCompanion.of(entity), table.owner == nil else { return }
        LinkRecord.moving([self], to: [companion.table.layout])
        take(companion.table)
    }
}
