// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads one page of the records of a scope: changed ones, and those that entered or left it.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The page of a pull with shapes (S3).
///
/// A record comes at its revision if it changed, and at the revision of its presence if it entered or left. Both orders
/// are merged into one. A record that comes twice is in its present state each time.
struct ScopedPull {
    let execution: PullExecution
    let scope: PullScope

    private var context: NSManagedObjectContext { execution.context }

    private struct Item {
        let revision: Int64
        let presence: PresenceRow
        /// nil if the record was removed from the server.
        let record: RecordRow?
        var order: (Int64, String) { (revision, presence.name.text) }
    }

    /// - Returns: the states after the place, and the place of the last one; nil if nothing comes after them.
    func states(after place: PullPlace, limit: Int) throws -> ([SyncRecordState], next: PullPlace?) {
        guard max(place.revision, place.whole ?? 0) >= scope.floor else {
            throw SyncError(.startAnew, "The server does not know any more which records left.")
        }
        let changed = try changed(after: place, limit: limit + 1)
        var items = try (changed + moved(after: place, limit: limit + 1)).sorted { $0.order < $1.order }
        let count = items.count
        items = Array(items.prefix(limit))
        var records: [SyncRecordState] = []
        let covered = try read(items, place, &records)
        var next = place
        if let last = items.prefix(covered).last {
            (next.revision, next.name) = (last.revision, last.presence.name.text)
        }
        return (records, covered == count ? nil : next)
    }

    /// The number of records that are read together with their objects.
    private static let part = 250

    /// Reads the states of items until they have the bytes of a page.
    ///
    /// - Returns: the number of items that the page covers.
    private func read(_ items: [Item], _ place: PullPlace, _ records: inout [SyncRecordState]) throws -> Int {
        var (count, size) = (0, 0)
        var seen: Set<UUID> = []
        for part in items.parts(of: Self.part) {
            let states = try states(of: part)
            for item in part {
                if size >= execution.service.limits.pageBytes { return count }
                count += 1
                guard let state = states[item.presence.name], seen.insert(state.name).inserted else { continue }
                size += state.size(withLarge: place.whole != nil)
                records.append(state)
            }
        }
        return count
    }

    private func changed(after place: PullPlace, limit: Int) throws -> [Item] {
        let request = PresenceRow.request(
            NSPredicate(
                format: "scope == %@ AND isIn == YES AND "
                    + "(record.revision > %lld OR (record.revision == %lld AND name > %@))",
                scope.id, place.revision, place.revision, place.name))
        request.sortDescriptors = [
            NSSortDescriptor(key: "record.revision", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        request.fetchLimit = limit
        return try items(request) { _, record in record?.revision }
    }

    /// A pull of everything needs only the records that moved since its first page.
    private func moved(after place: PullPlace, limit: Int) throws -> [Item] {
        let isBefore = place.revision < place.whole ?? place.revision
        let (revision, name) =
            isBefore ? (place.whole ?? 0, PullExecution.afterAllNames) : (place.revision, place.name)
        let request = PresenceRow.request(
            NSPredicate(
                format: "scope == %@ AND (revision > %lld OR (revision == %lld AND name > %@)) AND "
                    + "(isIn == NO OR record.revision <= %lld)",
                scope.id, revision, revision, name, place.revision))
        request.sortDescriptors = [
            NSSortDescriptor(key: "revision", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        request.fetchLimit = limit
        return try items(request) { presence, _ in presence.revision }
    }

    /// Reads presences, and their records in few statements. Their names lead to them: following the relationship would
    /// read one record after the other, because the page's context reads one moment of the store.
    ///
    /// - Parameter revision: the place in the order of the pull; nil leaves the presence out.
    private func items(
        _ request: NSFetchRequest<NSManagedObject>, _ revision: (PresenceRow, RecordRow?) -> Int64?
    ) throws -> [Item] {
        let presences = try context.fetch(request).map(PresenceRow.init)
        var records: [UUID: RecordRow] = [:]
        for part in presences.map(\.name.text).statementParts {
            for row in try RecordRow.fetch(NSPredicate(format: "name IN %@", part), in: context) {
                records[row.name] = row
            }
        }
        return presences.compactMap { presence in
            let record = records[presence.name]
            return revision(presence, record).map { Item(revision: $0, presence: presence, record: record) }
        }
    }

    // MARK: States

    /// The states by name. A record that has left has no other content; all others are as in a pull without shapes.
    ///
    /// The device's own changes come back: a link or member outside of the scope may be missing in it.
    private func states(of items: [Item]) throws -> [UUID: SyncRecordState] {
        let revealsForeign = execution.service.faults.contains(.revealsForeign)
        var states: [UUID: SyncRecordState] = [:]
        var rows: [UUID: RecordRow] = [:]
        for item in items {
            guard let record = item.record else { continue }
            if record.state != .present || item.presence.isIn || revealsForeign {
                rows[item.presence.name] = record
            } else {
                states[item.presence.name] = SyncRecordState(
                    name: record.name, entity: record.entityName, state: .left)
            }
        }
        for state in try execution.states(of: Array(rows.values)) { states[state.name] = state }
        let visible = try visibleNames(Array(states.values))
        return revealsForeign ? states : states.mapValues { $0.limited(to: visible) }
    }

    /// Those of the mentioned names that are in the scope.
    private func visibleNames(_ states: [SyncRecordState]) throws -> Set<UUID> {
        var names: Set<UUID> = []
        for state in states {
            names.formUnion(state.members.values.joined())
            for value in state.values.values { if case .link(let name) = value { names.insert(name) } }
            if let into = state.into { names.insert(into) }
        }
        return Set(try PresenceRow.fetch(names, scope: scope.id, in: context).filter { $0.value.isIn }.keys)
    }
}

extension SyncRecordState {
    /// The state without the names of records that a device does not have.
    fileprivate func limited(to visible: Set<UUID>) -> SyncRecordState {
        var state = self
        if let into, !visible.contains(into) {
            (state.state, state.into) = (.left, nil)
            return state
        }
        for (key, value) in values {
            guard case .link(let name) = value, !visible.contains(name) else { continue }
            state.values[key] = .null
            state.outside = ((state.outside ?? []) + [key]).sorted()
        }
        state.members = members.mapValues { $0.filter(visible.contains) }
        return state
    }
}
