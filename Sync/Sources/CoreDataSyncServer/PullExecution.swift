// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads one page of the records that changed after a place.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// A place in the order of the server's records: by revision, then by name.
struct PullPlace: Equatable {
    var epoch: String
    /// For a pull of everything the revision at its first page: deletions up to it are left out. nil for others.
    var whole: Int64?
    var revision: Int64
    /// The last name of that revision that was sent; empty for all of them.
    var name: String

    /// The form that devices keep.
    var text: String { [epoch, whole.map(String.init) ?? "", String(revision), name].joined(separator: "_") }

    init(epoch: String, whole: Int64?, revision: Int64, name: String) {
        self.epoch = epoch
        self.whole = whole
        self.revision = revision
        self.name = name
    }

    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let revision = Int64(parts[2]), parts[1].isEmpty || Int64(parts[1]) != nil else {
            return nil
        }
        self.init(epoch: parts[0], whole: Int64(parts[1]), revision: revision, name: parts[3])
    }
}

/// Runs one pull on the queue of its context, pinned to one moment after the last fold.
struct PullExecution {
    let service: ServiceCore
    let context: NSManagedObjectContext
    let request: SyncPull
    let user: SyncUser
    /// nil for all records of the readable entities.
    var scope: PullScope?

    func run() throws -> SyncPage {
        guard let state = try StateRow.existing(in: context) else {
            throw SyncError(.unavailable, "The server's store was emptied.")
        }
        let place = try startingPlace(state)
        let limit = max(1, min(request.limit, service.limits.pageSize))
        if let scope {
            let (states, next) = try ScopedPull(execution: self, scope: scope).states(after: place, limit: limit)
            return page(states, next, place, state)
        }
        var rows = try fetch(after: place, limit: limit + 1)
        let isLast = rows.count <= limit || service.faults.contains(.skipsMoved)
        if rows.count > limit { rows.removeLast() }
        var next = place
        if isLast {
            next = PullPlace(epoch: epoch(state), whole: nil, revision: state.revision, name: Self.afterAllNames)
        } else if let last = rows.last {
            (next.revision, next.name) = (last.revision, last.name.uuidString)
        }
        let records = try states(of: rows.filter { isWanted($0, place) })
        return SyncPage(
            records: records, next: next.text, isLast: isLast, isWhole: place.whole != nil, revision: state.revision,
            clock: state.clock)
    }

    /// - Parameter next: nil for the last page.
    private func page(
        _ states: [SyncRecordState], _ next: PullPlace?, _ place: PullPlace, _ state: StateRow
    ) -> SyncPage {
        let end = PullPlace(
            epoch: place.epoch, whole: nil, revision: state.revision, name: Self.afterAllNames)
        return SyncPage(
            records: states, next: (next ?? end).text, isLast: next == nil, isWhole: place.whole != nil,
            revision: state.revision, clock: state.clock)
    }

    /// Greater than each name.
    static let afterAllNames = "~"

    /// A place belongs to one numbering of revisions, and to one scope.
    private func epoch(_ state: StateRow) -> String { state.epoch + (scope.map { "." + $0.id } ?? "") }

    private func startingPlace(_ state: StateRow) throws -> PullPlace {
        guard let text = request.after else {
            return PullPlace(epoch: epoch(state), whole: state.revision, revision: -1, name: Self.afterAllNames)
        }
        guard let place = PullPlace(text) else { throw SyncError(.malformed, "'after' is no place of this server.") }
        guard place.epoch == epoch(state), place.revision <= state.revision else {
            throw SyncError(.startAnew, "The server does not have what changed after the place.")
        }
        return place
    }

    private func fetch(after place: PullPlace, limit: Int) throws -> [RecordRow] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
        let readable = service.model.entities.keys.filter {
            service.authority.mayRead(entity: $0, user: user) || service.faults.contains(.revealsHidden)
        }
        request.predicate = NSPredicate(
            format: "entityName IN %@ AND (revision > %lld OR (revision == %lld AND name > %@))", readable.sorted(),
            place.revision, place.revision, place.name)
        request.sortDescriptors = [
            NSSortDescriptor(key: "revision", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        request.fetchLimit = limit
        request.returnsObjectsAsFaults = false
        return try context.fetch(request).map(RecordRow.init)
    }

    private func isWanted(_ row: RecordRow, _ place: PullPlace) -> Bool {
        guard let whole = place.whole else { return true }
        return row.state != .deleted || row.revision > whole
    }

    // MARK: States

    private func states(of rows: [RecordRow]) throws -> [SyncRecordState] {
        let table = RecordTable(context)
        try table.load(Set(rows.map(\.name)))
        return try rows.map { row in
            switch row.state {
            case .deleted: return SyncRecordState(name: row.name, entity: row.entityName, state: .deleted)
            case .merged:
                let into = table.resolve(row.name)?.name ?? row.into
                return SyncRecordState(name: row.name, entity: row.entityName, state: .merged, into: into)
            case .present: return try present(row, table)
            }
        }
    }

    func present(_ row: RecordRow, _ table: RecordTable) throws -> SyncRecordState {
        guard let object = table.resolve(row.name)?.object, let entity = service.model.entities[row.entityName] else {
            throw SyncError(.unavailable, "A record of '\(row.entityName)' has no object.")
        }
        var state = SyncRecordState(name: row.name, entity: row.entityName, state: .present)
        state.values = try object.syncAttributes(entity)
        if service.versions.differs(request.schema, entity: entity.name) {
            state.values.merge(row.unknown.mapValues(\.value)) { known, _ in known }
        }
        for key in entity.links.keys {
            let target = object.value(forKey: key) as? NSManagedObject
            state.values[key] = try target.flatMap { try table.entry(of: $0) }.map { .link($0.name) } ?? .null
        }
        for key in entity.members.keys {
            let members = object.syncMembers(key)
            try table.load(objects: members)
            state.members[key] = try members.compactMap { try table.entry(of: $0)?.name }
                .sorted { $0.uuidString < $1.uuidString }
        }
        for key in entity.orders.keys {
            let members = object.syncMembers(key)
            try table.load(objects: members)
            let places = row.metadata.places[key] ?? [:]
            let names = try members.compactMap { try table.entry(of: $0)?.name.uuidString }
            state.orders[key] = places.filter { names.contains($0.key) }.mapValues(\.key)
        }
        return state
    }
}
