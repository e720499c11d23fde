// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notes the further changes of a save: by inverse relationships, delete rules and the app's code.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Completes the records of one save: stamps of side effects, tombstones, names and ids of new objects, revisions.
struct Consequences {
    let context: NSManagedObjectContext
    let model: SyncModel
    let table: RecordTable
    let revision: Int64
    /// The stamp of changes that no device sent.
    let cause: SyncStamp
    /// The replica of the batch that is applied, as text; nil for changes of the server's own code.
    var origin: String?
    /// Properties whose stamps are set already.
    var explicit: Set<GroupApplication.Property> = []
    let makeID: () -> UUID
    let forms: FormMaking
    /// Defects that the simulation plants.
    var faults: Set<ServerFault> = []
    /// For a shared save the batches by the names of the records that they change; nil for other saves.
    var shared: [UUID: SharedCause]?

    /// The stamps of the batch's changes by the names of their records, and those of its deletions.
    var stamps: [UUID: SyncStamp] = [:]
    var deletions: [UUID: SyncStamp] = [:]

    /// The stamp of changes of a record that no device sent.
    private func cause(of entry: TableEntry) -> SyncStamp { shared?[entry.name]?.stamp ?? cause }

    /// The stamp of the change from which a link's new value followed; nil if it followed from something else.
    ///
    /// A batch may have newer changes of other records. With their stamps the link would win over changes that are
    /// newer than its cause.
    private func cause(ofLink link: NSRelationshipDescription, _ object: NSManagedObject) -> SyncStamp? {
        if faults.contains(.stampsLinksLate) { return nil }
        let key = link.name
        return [object.committedValues(forKeys: [key])[key], object.value(forKey: key)].compactMap { destination in
            guard let destination = destination as? NSManagedObject else { return nil }
            if destination.isDeleted { return cause(ofDeletion: destination) }
            // In a one-to-one relationship another record took the destination.
            if let taker = destination.syncHolder(of: link), taker !== object { return stamp(of: taker, in: stamps) }
            return stamp(of: destination, in: stamps)
        }.max()
    }

    /// The stamp of the deletion from which an object's deletion followed, by its to-ones; its own one if a device sent
    /// that.
    private func cause(ofDeletion object: NSManagedObject) -> SyncStamp? {
        var (found, seen): ([SyncStamp], Set<ObjectIdentifier>) = ([], [])
        var waiting = [object]
        while let next = waiting.popLast() {
            guard next.isDeleted, seen.insert(ObjectIdentifier(next)).inserted else { continue }
            if let stamp = stamp(of: next, in: deletions) {
                found.append(stamp)
                continue
            }
            let keys = next.entity.relationshipsByName.values.filter { !$0.isToMany }.map(\.name)
            waiting += next.committedValues(forKeys: keys).values.compactMap { $0 as? NSManagedObject }
        }
        return found.max()
    }

    mutating func note(_ changes: [SyncChange]) {
        for change in changes {
            let name = table.resolve(change.name)?.name ?? change.name
            stamps[name] = max(stamps[name] ?? change.stamp, change.stamp)
            if change.kind == .delete { deletions[name] = stamps[name] }
        }
    }

    private func stamp(of object: NSManagedObject, in stamps: [UUID: SyncStamp]) -> SyncStamp? {
        table.loadedEntry(of: object).flatMap { stamps[$0.name] }
    }

    /// - Throws: `SharingEnded` if a shared save changes more than its batches name (`SharedSaves.md`, W3).
    func complete() throws {
        context.processPendingChanges()
        try nameInsertedObjects()
        try arrangeMembers()
        context.processPendingChanges()
        try buryDeletedObjects()
        try stampUpdatedObjects()
        try writeRows()
    }

    /// Notes that the server's own code inserted an object, or changed properties of it; nil means all.
    func note(_ object: NSManagedObject, _ entity: SyncEntity, keys: Set<String>?) throws {
        let isNew = try table.entry(of: object) == nil
        guard let entry = try entryOrNew(object, entity) else { return }
        let changed = isNew ? nil : keys
        func isChanged(_ key: String) -> Bool { changed?.contains(key) ?? true }
        for key in (Array(entity.attributes.keys) + Array(entity.links.keys)) where isChanged(key) {
            entry.metadata.stamps[key] = cause
            entry.metadata.derived.remove(key)
            entry.isTouched = true
        }
        for key in entity.counters.keys where isChanged(key) { entry.isTouched = true }
        for key in entity.members.keys where isChanged(key) {
            entry.isTouched = true
            try reconcileEdges(key, object, entry)
        }
        for key in entity.orders.keys where isChanged(key) {
            entry.isTouched = true
            let names = try names(of: object.syncMembers(key))
            let keys = (entry.metadata.places[key] ?? [:]).reduce(into: [UUID: String]()) { keys, place in
                if let name = UUID(text: place.key) { keys[name] = place.value.key }
            }
            for (name, place) in SyncOrder.changes(for: names, keys: keys) {
                entry.metadata.places[key, default: [:]][name.text] = SyncPlace(place, cause)
            }
        }
    }

    /// Notes that the server's own code deleted an object.
    func bury(_ id: NSManagedObjectID) throws {
        guard let entry = try table.entry(ofDeleted: id) else { return }
        bury(entry)
    }

    /// - Parameter stamp: that of the deletion; nil for `cause`.
    func bury(_ entry: TableEntry, _ stamp: SyncStamp? = nil) {
        entry.row.state = .deleted
        entry.row.deletion = entry.row.deletion ?? stamp ?? cause
        entry.row.uri = nil
        entry.metadata = RecordMetadata()
        entry.object = nil
        entry.isTouched = true
    }

    private func names(of objects: [NSManagedObject]) throws -> [UUID] {
        try table.load(objects: objects)
        return try objects.compactMap { object in
            try model.entity(of: object).flatMap { try entryOrNew(object, $0) }?.name
        }
    }

    private func travelling(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
        objects.filter { model.entity(of: $0) != nil }
    }

    private func nameInsertedObjects() throws {
        var inserted: [(object: NSManagedObject, entry: TableEntry)] = []
        for object in travelling(context.insertedObjects) {
            guard let entity = model.entity(of: object) else { continue }
            inserted.append((object, try table.entry(of: object) ?? newEntry(object, entity)))
        }
        // In the order of names, not in that of a set: equal batches give equal ids.
        inserted.sort { $0.entry.name.precedes($1.entry.name) }
        try context.obtainPermanentIDs(for: inserted.map(\.object))
        for (object, entry) in inserted {
            entry.isTouched = true
            entry.row.uri = object.objectID.uriRepresentation().absoluteString
        }
    }

    private func buryDeletedObjects() throws {
        let deleted = travelling(context.deletedObjects)
        try table.load(objects: deleted)
        // Before the first burial, which takes an object from its record.
        let causes = deleted.map(cause(ofDeletion:))
        for (object, cause) in zip(deleted, causes) {
            let entry = try table.entry(of: object)
            if let shared, entry.flatMap({ shared[$0.name]?.deletes }) != true { throw SharingEnded() }
            guard let entry, entry.object === object else { continue }
            bury(entry, cause)
        }
    }

    private func stampUpdatedObjects() throws {
        let changed = travelling(context.updatedObjects) + travelling(context.insertedObjects)
        try table.load(objects: changed)
        for object in changed where !object.isDeleted {
            guard let entity = model.entity(of: object), let entry = try entryOrNew(object, entity) else { continue }
            let keys = object.isInserted ? entity.memberKeys : object.changedValues().keys.sorted()
            for key in keys where object.isInserted ? entity.members[key] != nil : entity.isKept(key) {
                entry.isTouched = true
                let isExplicit = explicit.contains(.init(name: entry.name, key: key))
                if shared != nil, !isExplicit, !object.isInserted { throw SharingEnded() }
                if entity.orders[key] != nil ? !object.isInserted : !isExplicit && !object.isInserted {
                    entry.isEcho = false
                }
                if entity.members[key] != nil {
                    try reconcileEdges(key, object, entry)
                } else if entity.orders[key] == nil, !isExplicit {
                    let cause = entity.links[key].flatMap { self.cause(ofLink: $0, object) }
                    entry.metadata.derive(key, cause ?? self.cause(of: entry))
                }
            }
        }
    }

    private func entryOrNew(_ object: NSManagedObject, _ entity: SyncEntity) throws -> TableEntry? {
        if let entry = try table.entry(of: object) { return entry }
        let entry = newEntry(object, entity)
        entry.row.uri = object.objectID.uriRepresentation().absoluteString
        return entry
    }

    private func newEntry(_ object: NSManagedObject, _ entity: SyncEntity) -> TableEntry {
        let own = entity.nameAttribute.flatMap { object.value(forKey: $0) as? UUID }
        return table.insert(own ?? makeID(), entity.name, object: object)
    }

    /// Makes the tags of members those of the members that are there.
    private func reconcileEdges(_ key: String, _ object: NSManagedObject, _ entry: TableEntry) throws {
        let members = object.syncMembers(key)
        if members.isEmpty, entry.metadata.edges[key] == nil, entry.metadata.settled[key] == nil { return }
        try table.load(objects: members)
        var edges: [String: RecordMetadata.Edge] = [:]
        var settled: Set<UUID> = []
        for member in members {
            guard let name = try table.entry(of: member)?.name else { continue }
            if entry.metadata.isSettled(key, name) {
                settled.insert(name)
            } else {
                edges[name.text] =
                    entry.metadata.edge(key, name) ?? RecordMetadata.Edge(revision: revision, stamp: cause(of: entry))
            }
        }
        entry.metadata.edges[key] = edges
        if entry.metadata.settled[key] ?? [] != settled { entry.metadata.settled[key] = settled }
    }

    /// Puts members into the order of their keys; members without one come last, by name.
    private func arrangeMembers() throws {
        let updated = travelling(context.updatedObjects).filter { object in
            model.entity(of: object).map { !$0.orders.isEmpty } ?? false
        }
        try table.load(objects: updated)
        for entry in table.all {
            guard let object = entry.object, !object.isDeleted, let entity = model.entities[entry.entity] else {
                continue
            }
            for (key, relationship) in entity.orders.sorted(by: { $0.key < $1.key }) {
                let isChanged = object.isInserted || entry.isTouched || object.changedValues()[key] != nil
                guard isChanged else { continue }
                let members = object.syncMembers(key)
                if members.isEmpty { continue }
                try table.load(objects: members)
                let sorted = try members.map { member in
                    let name = try table.entry(of: member)?.name.text ?? ""
                    return (entry.metadata.places[key]?[name]?.key ?? "~", name, member)
                }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
                object.setSyncMembers(sorted.map(\.2), relationship)
                guard sorted.contains(where: { $0.0 == "~" }) else { continue }
                var last: String?
                for (place, name, _) in sorted {
                    last = place == "~" ? SyncOrder.between(last, nil) : place
                    if place == "~", let last {
                        entry.isEcho = false
                        entry.metadata.places[key, default: [:]][name] = SyncPlace(last, cause(of: entry))
                    }
                }
            }
        }
    }

    private func writeRows() throws {
        let all = table.all
        let isKept = { (entry: TableEntry) in faults.contains(.keepsForm) && entry.row.form != nil }
        try forms.renew(all.filter { $0.isTouched && !isKept($0) }) { _ in revision }
        for entry in all {
            if entry.isMetadataChanged { entry.row.metadata = entry.metadata }
            guard entry.isTouched else { continue }
            if let shared, shared[entry.name] == nil { throw SharingEnded() }
            if isKept(entry) { entry.row.renumber(revision) } else { entry.row.revision = revision }
            let isEcho = entry.isEcho && !hasCode(entry)
            if faults.contains(.keepsOrigin), !isEcho { continue }
            entry.row.origin = isEcho ? shared?[entry.name]?.origin ?? origin : nil
        }
    }

    /// Whether a class of the app may change values while the object is saved.
    private func hasCode(_ entry: TableEntry) -> Bool {
        entry.object.map { $0.entity.managedObjectClassName != "NSManagedObject" } ?? false
    }
}
