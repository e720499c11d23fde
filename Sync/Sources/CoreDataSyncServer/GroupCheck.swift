// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides, without a change, whether a group of a batch can be applied, and which of its changes lose to a deletion.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The decision about one group.
enum GroupVerdict {
    /// Apply it, except for the changes of these records, which lost to newer changes.
    case apply(lost: Set<UUID>, superseded: [SyncSuperseded])
    case refuse([SyncRefusal])
    /// Send the group again with these records whole.
    case whole([UUID])
}

/// Checks the groups of a batch in order.
struct GroupCheck {
    let model: SyncModel
    let table: RecordTable
    let mayWrite: (String) -> Bool
    /// nil if the user has all records.
    var rights: ShapeRights?
    /// Whether unknown properties of an entity are kept, because the device has another version of it.
    var keepsUnknown: (String) -> Bool = { _ in false }
    /// The entities of records that earlier accepted groups insert.
    private var inserted: [UUID: String] = [:]

    init(model: SyncModel, table: RecordTable, mayWrite: @escaping (String) -> Bool) {
        self.model = model
        self.table = table
        self.mayWrite = mayWrite
    }

    mutating func verdict(_ changes: [SyncChange]) -> GroupVerdict {
        let new = changes.filter { $0.kind == .insert }.map { ($0.name, $0.entity) }
        let before = inserted
        inserted.merge(new) { first, _ in first }
        let refusals = changes.compactMap { reason(against: $0) }
        guard refusals.isEmpty else {
            inserted = before
            return .refuse(refusals)
        }
        var lost: Set<UUID> = []
        var superseded: [SyncSuperseded] = []
        var whole: [UUID] = []
        for change in changes {
            guard let entry = table.resolve(change.name) else { continue }
            switch outcome(change, entry) {
            case .holds: continue
            case .loses(let stamp):
                lost.insert(change.name)
                superseded.append(SyncSuperseded(name: change.name, property: nil, by: stamp))
            case .revives: whole.append(change.name)
            }
        }
        if whole.isEmpty { return .apply(lost: lost, superseded: superseded) }
        inserted = before
        return .whole(whole)
    }

    private enum Meeting {
        case holds, revives
        case loses(SyncStamp)
    }

    /// A deletion beats older changes and loses to newer ones.
    private func outcome(_ change: SyncChange, _ entry: TableEntry) -> Meeting {
        let deletionWins = model.entities[entry.entity]?.deletionWins ?? false
        switch (change.kind, entry.row.state) {
        case (.delete, .present):
            guard let newest = entry.metadata.newest, newest > change.stamp, !deletionWins else { return .holds }
            return .loses(newest)
        case (.delete, _): return .holds
        case (_, .deleted):
            let deletion = entry.row.deletion ?? change.stamp
            if deletionWins || change.stamp < deletion { return .loses(deletion) }
            return change.kind == .insert ? .holds : .revives
        default: return .holds
        }
    }

    // MARK: Forms

    private func reason(against change: SyncChange) -> SyncRefusal? {
        func refusal(_ code: SyncErrorCode, _ key: String?, _ text: String) -> SyncRefusal {
            SyncRefusal(name: change.name, domain: SyncError.domain, code: code.rawValue, key: key, text: text)
        }
        guard let entity = model.entities[change.entity], !entity.isAbstract else {
            return refusal(.unknownEntity, nil, "The server has no records of an entity '\(change.entity)'.")
        }
        guard mayWrite(change.entity) else {
            return refusal(.notPermitted, nil, "The user may not change records of '\(change.entity)'.")
        }
        let known = table.resolve(change.name)
        if let known, known.entity != change.entity {
            return refusal(.wrongEntity, nil, "The record belongs to the entity '\(known.entity)'.")
        }
        if let known, let rights, !rights.mayReach(known) {
            return refusal(.notPermitted, nil, "The record does not belong to the user's shapes.")
        }
        if known == nil, inserted[change.name] == nil {
            return change.kind == .delete
                ? nil : refusal(.unknownRecord, nil, "The server has never had the changed record.")
        }
        // The first reason by name, without sorting the fields of nearly all changes, which have none.
        let found = change.fields.compactMap { key, field in
            reason(against: field.value, key, entity, known).map { (key: key, code: $0) }
        }
        if let (key, code) = found.min(by: { $0.key < $1.key }) {
            let text =
                switch code {
                case .wrongType where entity.attributes[key] != nil: "The value does not fit the attribute '\(key)'."
                case .unknownProperty: "'\(change.entity)' has no property '\(key)' that travels."
                default: "The link '\(key)' leads to no record that it may lead to."
                }
            return refusal(code, key, text)
        }
        for (key, members) in change.members.sorted(by: { $0.key < $1.key }) {
            guard let relationship = entity.members[key] else {
                return refusal(.unknownProperty, key, "'\(change.entity)' keeps no members '\(key)'.")
            }
            for member in members.added {
                let code = reason(against: .link(member), relationship) ?? denial(.link(member), key, known)
                guard let code else { continue }
                return refusal(code, key, "'\(key)' has a member that it may not have.")
            }
        }
        if let key = change.counters.keys.sorted().first(where: { entity.counters[$0] == nil }) {
            return refusal(.unknownProperty, key, "'\(change.entity)' has no counter '\(key)'.")
        }
        if let key = change.places.keys.sorted().first(where: { entity.orders[$0] == nil }) {
            return refusal(.unknownProperty, key, "'\(change.entity)' has no order '\(key)'.")
        }
        return nil
    }

    /// - Returns: nil for a value that the property may have.
    private func reason(
        against value: SyncValue, _ key: String, _ entity: SyncEntity, _ known: TableEntry?
    ) -> SyncErrorCode? {
        if let attribute = entity.attributes[key] {
            do { _ = try SyncValueCoding.decode(value, attribute) } catch { return .wrongType }
            return nil
        }
        if let link = entity.links[key] { return reason(against: value, link) ?? denial(value, key, known) }
        return keepsUnknown(entity.name) ? nil : .unknownProperty
    }

    /// A new link to a record outside of the user's shapes: following it could bring the record into them.
    private func denial(_ value: SyncValue, _ key: String, _ source: TableEntry?) -> SyncErrorCode? {
        guard case .link(let name) = value, let rights, let target = table.resolve(name), let object = target.object,
            !rights.mayReach(target)
        else { return nil }
        let isPresent = source?.object?.syncDestinations(key).contains { $0 === object } ?? false
        return isPresent ? nil : .notPermitted
    }

    private func reason(against value: SyncValue, _ relationship: NSRelationshipDescription) -> SyncErrorCode? {
        guard case .link(let name) = value else { return value == .null ? nil : .wrongType }
        let target = table.resolve(name)
        guard let entityName = target?.entity ?? inserted[name] else { return .unknownRecord }
        guard let wanted = relationship.destinationEntity,
            let entity = relationship.entity.managedObjectModel.entitiesByName[entityName]
        else { return .wrongEntity }
        return entity.isKindOf(entity: wanted) ? nil : .wrongEntity
    }
}
