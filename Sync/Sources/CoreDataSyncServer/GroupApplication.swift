// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies the accepted groups of a batch to the objects of a context, by the rules of merging.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Changes objects and the metadata of their records; saves nothing.
///
/// The order of the steps: existing records get their attributes first, so that a new record may take a unique value
/// that an existing one gives up; then new records are made, then links are set, then records are deleted.
struct GroupApplication {
    let context: NSManagedObjectContext
    let model: SyncModel
    let table: RecordTable
    let replica: UUID
    /// The revision that the device says to have applied. An earlier, greater one does not count: it may have been
    /// restored since.
    let observed: Int64
    /// The revision of this save.
    let revision: Int64
    let faults: Set<ServerFault>

    /// The tags of members up to this revision are collected.
    let settledFloor: Int64
    /// Whether the store keeps each date as it is.
    let keepsDates: Bool
    /// nil if the user has all records.
    var rights: ShapeRights?

    /// Further results of the groups.
    private(set) var superseded: [Int: [SyncSuperseded]] = [:]
    private(set) var merged: [Int: [String: UUID]] = [:]
    /// Properties that the batch set, which are no side effects.
    private(set) var explicit: Set<Property> = []
    private var doomed: Set<NSManagedObjectID> = []
    /// The objects with the unique values of inserted records; nil until they are read. A shared save reads those of
    /// all its batches.
    var unique: UniqueValues?

    /// A property of a record.
    struct Property: Hashable {
        let name: UUID
        let key: String
    }

    init(
        _ service: ServiceCore, _ context: NSManagedObjectContext, _ table: RecordTable, _ push: SyncPush,
        _ state: StateRow
    ) {
        self.context = context
        self.table = table
        model = service.model
        replica = push.replica
        observed = push.observed
        revision = state.revision + 1
        faults = service.faults
        settledFloor = state.settled
        keepsDates = service.forms.keepsDates
    }

    /// - Parameter changes: those of the accepted groups that did not lose, in the order of the groups.
    mutating func apply(_ changes: [SyncChange]) throws {
        let deletions = changes.filter { $0.kind == .delete }
        for change in deletions {
            if let object = table.resolve(change.name)?.object { doomed.insert(object.objectID) }
        }
        let others = changes.filter { $0.kind != .delete }
        var new: [SyncChange] = []
        for change in others {
            guard let entry = table.resolve(change.name), entry.row.state == .present else {
                new.append(change)
                continue
            }
            if change.kind == .insert, entry.name != change.name {
                merged[change.group, default: [:]][change.name.text] = entry.name
            }
            entry.isEcho = change.name == entry.name && change.counters.isEmpty && isKnown(entry)
            try setAttributes(change, entry)
        }
        if unique == nil {
            var found = UniqueValues(context: context)
            try found.load(new, model, table)
            unique = found
        }
        for change in new { try insert(change) }
        for change in others { try setRelationships(change) }
        for change in others { arrange(change) }
        for change in deletions { delete(change) }
    }

    /// Whether the device has the present state of a record: it has applied its revision, or made it.
    private func isKnown(_ entry: TableEntry) -> Bool {
        entry.row.revision <= observed || entry.row.origin == replica.text
    }

    // MARK: Attributes

    private mutating func setAttributes(_ change: SyncChange, _ entry: TableEntry, except: Set<String> = []) throws {
        guard let entity = model.entities[entry.entity], let object = entry.object else { return }
        entry.isTouched = true
        let isNew = object.isInserted
        for (key, attribute) in entity.values {
            if entity.counters[key] != nil {
                if let difference = change.counters[key] { try add(difference, attribute, entry, object, change) }
            } else if let field = change.fields[key], !except.contains(key),
                accepts(field, key, entry, change, isNew: isNew)
            {
                try object.setSync(field.value, attribute)
            }
        }
    }

    /// Takes the field's stamp if it is the greater one. An equal stamp is the same change, sent under another number.
    ///
    /// - Parameter isNew: whether the object is inserted by this save: nothing of it is a side effect.
    private mutating func accepts(
        _ field: SyncField, _ key: String, _ entry: TableEntry, _ change: SyncChange, isNew: Bool
    ) -> Bool {
        if let kept = entry.metadata.stamps[key], kept >= field.stamp, !faults.contains(.ignoresStamps) {
            entry.isEcho = false
            if kept > field.stamp { note(SyncSuperseded(name: change.name, property: key, by: kept), change.group) }
            return false
        }
        if !isNew { explicit.insert(Property(name: entry.name, key: key)) }
        // The device shall get the value that the server's store gives.
        if !field.value.isKept(keepsDates: keepsDates) { entry.isEcho = false }
        entry.metadata.stamps[key] = field.stamp
        if !entry.metadata.derived.isEmpty { entry.metadata.derived.remove(key) }
        return true
    }

    /// Adds a difference once, even if a restored replica sends it again under another number.
    private mutating func add(
        _ difference: Int64, _ attribute: NSAttributeDescription, _ entry: TableEntry, _ object: NSManagedObject,
        _ change: SyncChange
    ) throws {
        if difference == 0 { return }
        let (key, author) = (attribute.name, (change.origin?.store ?? change.stamp.replica).text)
        let counted = entry.metadata.counted[key]?[author] ?? []
        let transactions = change.origin?.transactions.suffix(32) ?? [change.stamp.clock]
        if transactions.contains(where: counted.contains), !faults.contains(.forgetsNumbers) { return }
        explicit.insert(Property(name: entry.name, key: key))
        entry.metadata.noteCount(key, change.stamp)
        let kept = (counted + transactions).suffix(RecordMetadata.mostCounted)
        entry.metadata.counted[key, default: [:]][author] = Array(kept)
        let present = (object.value(forKey: key) as? NSNumber)?.int64Value ?? 0
        let (sum, overflows) = present.addingReportingOverflow(difference)
        let bounds: ClosedRange<Int64> =
            switch attribute.attributeType {
            case .integer16AttributeType: Int64(Int16.min)...Int64(Int16.max)
            case .integer32AttributeType: Int64(Int32.min)...Int64(Int32.max)
            default: Int64.min...Int64.max
            }
        let limited = overflows ? (difference > 0 ? bounds.upperBound : bounds.lowerBound) : sum
        object.setValue(min(max(limited, bounds.lowerBound), bounds.upperBound), forKey: key)
    }

    // MARK: Insertions

    /// Makes a record, revives a deleted one, or merges the new one into a record with its unique values.
    private mutating func insert(_ change: SyncChange) throws {
        guard let entity = model.entities[change.entity] else { return }
        if let older = try recordWithUniqueValues(of: change, entity) {
            let alias = table.resolve(change.name) ?? table.insert(change.name, change.entity, object: nil)
            alias.row.state = .merged
            alias.row.into = older.name
            alias.row.deletion = nil
            alias.isTouched = true
            merged[change.group, default: [:]][change.name.text] = older.name
            try setAttributes(change, older, except: Set([entity.nameAttribute].compactMap { $0 }))
            older.isEcho = false
            if let object = older.object { try unique?.add(object, entity) }
            return
        }
        let object = NSEntityDescription.insertNewObject(forEntityName: change.entity, into: context)
        if let entry = table.resolve(change.name) {
            entry.row.state = .present
            entry.row.deletion = nil
            entry.metadata = RecordMetadata()
            table.connect(entry, object)
        } else {
            // A counter without a value has 0 here, and other properties that the device did not send have defaults.
            table.insert(change.name, change.entity, object: object).isEcho =
                entity.counters.keys.allSatisfy { change.counters[$0] != nil }
                && (Array(entity.attributes.keys) + Array(entity.links.keys)).allSatisfy { change.fields[$0] != nil }
        }
        for attribute in entity.counters.values { object.setValue(0, forKey: attribute.name) }
        if let entry = table.resolve(change.name) { try setAttributes(change, entry) }
        try unique?.add(object, entity)
    }

    /// A record of the same entity with equal values in one of the constraints. Values with nil are equal to none.
    private func recordWithUniqueValues(of change: SyncChange, _ entity: SyncEntity) throws -> TableEntry? {
        for constraint in entity.constraints {
            let found = try unique?.objects(change, constraint, entity) ?? []
            for object in found where !doomed.contains(object.objectID) {
                if faults.contains(.replacesUnique) {
                    context.delete(object)
                } else if let entry = try table.entry(of: object), try isReachable(entry) {
                    return entry
                }
            }
        }
        return nil
    }

    /// A record outside of the user's shapes takes no values: the insertion then fails by its constraint.
    private func isReachable(_ entry: TableEntry) throws -> Bool {
        guard let rights, let object = entry.object, !object.isInserted, !rights.mayReach(entry) else { return true }
        return try rights.mayReach(unmentioned: object)
    }

    // MARK: Relationships

    private mutating func setRelationships(_ change: SyncChange) throws {
        guard let entry = table.resolve(change.name), let object = entry.object,
            let entity = model.entities[entry.entity]
        else { return }
        entry.isTouched = true
        let isNew = object.isInserted
        for key in entity.linkKeys {
            guard let field = change.fields[key], accepts(field, key, entry, change, isNew: isNew) else { continue }
            object.setSyncLink(destination(field.value, key, change, entry), key)
        }
        for key in entity.memberKeys {
            guard let members = change.members[key], let relationship = entity.members[key] else { continue }
            setMembers(members, relationship, entry, object, change)
        }
    }

    /// A link to a deleted record leads nowhere, which the deletion's stamp explains.
    private mutating func destination(
        _ value: SyncValue, _ key: String, _ change: SyncChange, _ entry: TableEntry
    ) -> NSManagedObject? {
        guard case .link(let name) = value else { return nil }
        guard let target = table.resolve(name) else {
            entry.isEcho = false
            return nil
        }
        if target.name != name || target.object == nil { entry.isEcho = false }
        if let object = target.object { return object }
        if let deletion = target.row.deletion {
            note(SyncSuperseded(name: change.name, property: key, by: deletion), change.group)
        }
        return nil
    }

    private mutating func setMembers(
        _ members: SyncMembers, _ relationship: NSRelationshipDescription, _ entry: TableEntry,
        _ object: NSManagedObject, _ change: SyncChange
    ) {
        let key = relationship.name
        explicit.insert(Property(name: entry.name, key: key))
        var edges = entry.metadata.edges[key] ?? [:]
        var present = object.syncMembers(key)
        for name in members.removed {
            guard let member = table.resolve(name), let memberObject = member.object else { continue }
            let text = member.name.text
            if member.name != name { entry.isEcho = false }
            let edge = edges[text] ?? settledEdge(member.name, key, entry)
            if let edge, edge.revision > observed, edge.stamp.replica != replica {
                entry.isEcho = false
                note(SyncSuperseded(name: change.name, property: key, by: edge.stamp), change.group)
                continue
            }
            edges[text] = nil
            if entry.metadata.isSettled(key, member.name) { entry.metadata.settled[key]?.remove(member.name) }
            present.removeAll { $0 === memberObject }
        }
        for name in members.added {
            guard let memberObject = destination(.link(name), key, change, entry),
                let member = table.resolve(name)
            else { continue }
            // A batch may have waited while its replica took a new id: then its stamps have the former one.
            let stamp = SyncStamp(clock: change.stamp.clock, replica: replica)
            edges[member.name.text] = RecordMetadata.Edge(revision: revision, stamp: stamp)
            if entry.metadata.isSettled(key, member.name) { entry.metadata.settled[key]?.remove(member.name) }
            if !present.contains(where: { $0 === memberObject }) { present.append(memberObject) }
        }
        entry.metadata.edges[key] = edges
        object.setSyncMembers(present, relationship)
    }

    /// In place of a tag that was collected: a device that has not applied the floor may not have seen the addition.
    private func settledEdge(_ member: UUID, _ key: String, _ entry: TableEntry) -> RecordMetadata.Edge? {
        guard entry.metadata.isSettled(key, member), !faults.contains(.settlesUnseen) else { return nil }
        return RecordMetadata.Edge(
            revision: settledFloor, stamp: SyncStamp(clock: 0, replica: SyncService.noName))
    }

    private mutating func note(_ loss: SyncSuperseded, _ group: Int) { superseded[group, default: []].append(loss) }

    // MARK: Order

    /// Takes the newer places of members, and puts the members into the order of their keys.
    private func arrange(_ change: SyncChange) {
        guard let entry = table.resolve(change.name) else { return }
        for (key, places) in change.places {
            for (member, place) in places {
                let name = UUID(text: member).flatMap { table.resolve($0)?.name.text } ?? member
                if name != member { entry.isEcho = false }
                if let kept = entry.metadata.places[key]?[name], kept.stamp >= place.stamp {
                    entry.isEcho = false
                    continue
                }
                entry.metadata.places[key, default: [:]][name] = place
            }
        }
    }

    // MARK: Deletions

    private func delete(_ change: SyncChange) {
        guard let entry = table.resolve(change.name) else {
            let entry = table.insert(change.name, change.entity, object: nil)
            entry.row.state = .deleted
            entry.row.deletion = change.stamp
            entry.isTouched = true
            entry.isEcho = true
            return
        }
        entry.isTouched = true
        // An insertion of the device that was merged into the record may have given its name to another object there.
        entry.isEcho = change.name == entry.name && isKnown(entry)
        entry.row.deletion = max(entry.row.deletion ?? change.stamp, change.stamp)
        guard let object = entry.object else { return }
        context.delete(object)
    }
}
