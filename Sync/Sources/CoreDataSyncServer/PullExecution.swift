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
    let scope: PullScope?

    /// Whether the device has the answers to all batches of its replica: it then has their changes. A copy of the
    /// device lacks those that the other one sent, and one with another version of the model may lack converted values.
    private var isUpToDate = false
    /// Whether the device has another version of some entity.
    private let differs: Bool

    init(
        service: ServiceCore, context: NSManagedObjectContext, request: SyncPull, user: SyncUser, scope: PullScope?
    ) {
        self.service = service
        self.context = context
        self.request = request
        self.user = user
        self.scope = scope
        differs = !service.versions.isServers(request.schema)
    }

    mutating func run() throws -> SyncPage {
        service.note(request, user)
        let replica = try ReplicaRow.existing(request.replica, in: context)
        isUpToDate =
            request.number != nil && replica?.number == request.number && service.versions.isServers(request.schema)
        guard let state = try StateRow.existing(in: context) else {
            throw SyncError(.unavailable, "The server's store was emptied.")
        }
        let place = try startingPlace(state)
        let limit = max(1, min(request.limit, service.limits.pageSize))
        if let scope {
            let (states, next) = try ScopedPull(execution: self, scope: scope).states(after: place, limit: limit)
            return page(states, next, place, state)
        }
        let rows = try fetch(after: place, limit: limit + 1)
        var records: [SyncRecordState] = []
        let count = try read(rows.prefix(limit), place, &records)
        let isLast = count == rows.count || service.faults.contains(.skipsMoved)
        var next = place
        if let last = rows.prefix(count).last { (next.revision, next.name) = (last.revision, last.name.text) }
        return page(records, isLast ? nil : next, place, state)
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

    /// The number of records that are read together with their objects.
    private static let part = 500

    /// Reads the states of rows until they have the bytes of a page.
    ///
    /// - Returns: the number of rows that the page covers.
    private func read(
        _ rows: ArraySlice<RecordRow>, _ place: PullPlace, _ records: inout [SyncRecordState]
    ) throws -> Int {
        var (count, size) = (0, 0)
        for part in Array(rows).parts(of: Self.part) {
            let wanted = part.filter { isWanted($0, place) }
            var found = try states(of: wanted)[...]
            for row in part {
                if size >= service.limits.pageBytes { return count }
                count += 1
                guard isWanted(row, place), let state = found.popFirst() else { continue }
                size += state.size(withLarge: place.whole != nil)
                records.append(state)
            }
        }
        return count
    }

    /// Greater than each name.
    static let afterAllNames = "~"

    /// A place belongs to one numbering of revisions, and to one scope.
    private func epoch(_ state: StateRow) -> String { state.epoch + (scope.map { "." + $0.id } ?? "") }

    private func startingPlace(_ state: StateRow) throws -> PullPlace {
        guard let text = request.after else {
            // A device that has pushed and never pulled lacks the changes of others since the beginning.
            if scope == nil, isUpToDate, request.applied == 0, state.floor == 0 {
                return PullPlace(epoch: epoch(state), whole: nil, revision: -1, name: Self.afterAllNames)
            }
            return PullPlace(epoch: epoch(state), whole: state.revision, revision: -1, name: Self.afterAllNames)
        }
        guard let place = PullPlace(text) else { throw SyncError(.malformed, "'after' is no place of this server.") }
        guard place.epoch == epoch(state), place.revision <= state.revision else {
            throw SyncError(.startAnew, "The server does not have what changed after the place.")
        }
        guard (place.whole ?? place.revision) >= state.floor || state.floor == 0 else {
            throw SyncError(.startAnew, "The replica was away too long: deletions after its place are forgotten.")
        }
        return place
    }

    /// Two ranges of one index: the rest of the place's revision, then the later ones.
    private func fetch(after place: PullPlace, limit: Int) throws -> [RecordRow] {
        var rows: [RecordRow] = []
        if place.name < Self.afterAllNames {
            rows = try fetch(
                NSPredicate(format: "revision == %lld AND name > %@", place.revision, place.name), place, limit)
        }
        if rows.count < limit {
            rows += try fetch(NSPredicate(format: "revision > %lld", place.revision), place, limit - rows.count)
        }
        return rows
    }

    private func fetch(_ range: NSPredicate, _ place: PullPlace, _ limit: Int) throws -> [RecordRow] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
        let readable = service.model.entities.keys.filter {
            service.authority.mayRead(entity: $0, user: user) || service.faults.contains(.revealsHidden)
        }
        var conditions = [range, NSPredicate(format: "entityName IN %@", readable.sorted())]
        if place.whole == nil, isUpToDate {
            let replica = self.request.replica.text
            conditions.append(NSPredicate(format: "origin == nil OR origin != %@", replica))
        }
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
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

    func states(of rows: [RecordRow]) throws -> [SyncRecordState] {
        let known = rows.map { $0.state == .present ? service.forms.state(of: $0) : nil }
        let others = zip(rows, known).filter { $1 == nil }.map(\.0)
        var read = try others.isEmpty ? [] : self.read(others)[...]
        return zip(rows, known).compactMap { row, state in
            guard let state = state ?? read.popFirst() else { return nil }
            return state.state == .present ? completed(state, row) : state
        }
    }

    /// The states of records without forms.
    private func read(_ rows: [RecordRow]) throws -> ArraySlice<SyncRecordState> {
        let table = RecordTable(context)
        try table.load(rows, prefetching: service.model)
        let sources = try rows.map { try $0.state == .present ? source($0, table) : nil }
        try table.load(objects: sources.lazy.compactMap { $0 }.flatMap(\.destinations))
        let reading = RecordReading(table: table)
        return try zip(rows, sources).map { row, source in
            if let source { return try reading.state(source).state }
            let into = row.state == .merged ? table.resolve(row.name)?.name ?? row.into : nil
            return SyncRecordState(
                name: row.name, entity: row.entityName, state: row.state == .merged ? .merged : .deleted, into: into)
        }[...]
    }

    /// - Throws: `SyncError.unavailable` for a record that should have an object and has none.
    private func source(_ row: RecordRow, _ table: RecordTable) throws -> ReadingSource {
        let name = row.name
        guard let entry = table.resolve(name), let object = entry.object,
            let entity = service.model.entities[row.entityName]
        else { throw SyncError(.unavailable, "A record of '\(row.entityName)' has no object.") }
        return ReadingSource(entry, name: name, object, entity)
    }

    /// With the values that the server's model does not have, and without the bytes of large ones.
    private func completed(_ state: SyncRecordState, _ row: RecordRow) -> SyncRecordState {
        var state = state
        if differs, service.versions.differs(request.schema, entity: state.entity) {
            state.values.merge(row.unknown.mapValues(\.value)) { known, _ in known }
        }
        state.values = service.hashes.withoutBytes(
            state.values, record: state.name, revision: row.revision, service.limits.large)
        return state
    }
}
