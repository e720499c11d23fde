// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inserts an object that was made outside the context, or removes the mark of a deletion.

import Foundation

struct Insertion {
    let tracker: ChangeTracker
    let registry: ObjectRegistry

    func insert(_ object: NSManagedObject) {
        guard tracker.owns(object) else { return insertDetached(object) }
        // Inserting an object that is marked for deletion removes the mark.
        guard object.flags.contains(.deleted) else { return }
        let isCutOff = object.flags.contains(.propagated)
        tracker.unmarkDeleted(object)
        if isCutOff { object.dropHalfLinks() }
    }

    /// Inserts objects without a context that refer to each other: keeps all links.
    func insertTogether(_ objects: [NSManagedObject]) {
        let layouts = objects.map { layout(of: $0) }
        let needMove = zip(objects, layouts).contains { $0.table.layout !== $1 }
        let links = needMove ? LinkRecord.unlinkAndMove(objects, to: layouts) : []
        for object in objects { enter(object) }
        // Only now, because a relationship without an inverse may refer to an object that was inserted earlier.
        LinkRecord.restore(links)
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

    private func insertDetached(_ object: NSManagedObject) {
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
    /// Turns the object of a deleted record into a new insertion, which keeps its attributes.
    fileprivate final func becomeUnsaved() {
        let row = realized.copy()
        for slot in table.layout.toOneSlots { row.setNull(slot) }
        snapshot = row
        objectExtension = nil
        flags = flags.intersection(.ofClass).union([.ownsSnapshot, .awoken])
        key = TemporaryKey.next()
        take(.detached(table.layout))
    }

    /// Moves an object that was made for an entity of the same name in another model to this one, by property name.
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

/// The links of objects without a context, by name, while they move to other entities.
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

    /// Removes the links, and returns them to be restored when all objects have their new entities.
    static func unlinkAndMove(_ objects: [NSManagedObject], to layouts: [EntityLayout]) -> [LinkRecord] {
        let records = objects.map(LinkRecord.init)
        for object in objects {
            for slot in object.table.layout.toOneSlots { object.setDestination(nil, slot) }
            for slot in object.table.layout.toManySlots { object.setMembers([], slot) }
        }
        for (object, layout) in zip(objects, layouts) where object.table.layout !== layout {
            object.move(to: layout)
            object.objectExtension = nil
        }
        return records
    }

    /// To-many relationships come first, so that members keep their order.
    static func restore(_ records: [LinkRecord]) {
        for isToMany in [true, false] { for record in records { record.restore(isToMany: isToMany) } }
    }

    private func restore(isToMany: Bool) {
        let layout = object.table.layout
        for link in links {
            guard let slot = layout.slot(link.name), (layout[slot].kind == .toMany) == isToMany else { continue }
            if isToMany {
                object.setMembers(link.targets, slot)
            } else if let target = link.targets.first {
                object.setDestination(target, slot)
            }
        }
    }
}

extension NSManagedObject {
    /// Moves objects without a context, and everything they refer to, to other entities, by property name, and keeps
    /// their links.
    ///
    /// - Parameter entities: one for each object, with a companion.
    package static func move(_ objects: [NSManagedObject], to entities: [NSEntityDescription]) {
        let companions = entities.compactMap { EntityCompanion.of($0) }
        guard companions.count == objects.count, objects.allSatisfy({ $0.table.owner == nil }) else { return }
        let links = LinkRecord.unlinkAndMove(objects, to: companions.map(\.table.layout))
        for (object, companion) in zip(objects, companions) { object.take(companion.table) }
        LinkRecord.restore(links)
    }
}
