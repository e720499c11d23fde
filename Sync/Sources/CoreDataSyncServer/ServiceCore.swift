// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of a service that pushes, pulls and folds share.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Used on the queue of the service's writing context only, except for constants.
final class ServiceCore: @unchecked Sendable {  // the variables belong to the queue of `writer`
    /// Transactions of sync have authors that begin with this.
    static let authorPrefix = "sync:"

    let container: NSPersistentContainer
    let model: SyncModel
    let versions: ModelVersions
    let forms: RecordForms
    let authority: any SyncAuthority
    let limits: SyncLimits
    let environment: SyncEnvironment
    let writer: NSManagedObjectContext
    /// A slow reader misses all notes but the latest one.
    let board = Broadcast<SyncNews>(keeping: 1)
    /// The last transaction that is known to be folded or to be one of sync.
    var seen: HistoryPlace?
    /// The number of the last transaction that the service acknowledged as a reader of the history.
    var acknowledged: Int64 = 0
    /// Sync's own transactions are acknowledged this many at a time.
    static let acknowledgedInterval: Int64 = 500
    /// The id of the row with the revision, which a request reads once.
    private var stateID: NSManagedObjectID?
    /// The last pull of each replica since the last compaction, which stores it.
    var pulls: [UUID: NotedPull] = [:]
    /// The large values of the last requests.
    var served = ServedValues()
    /// The hashes of large values of the last pages.
    var hashes = LargeValueHashes()
    /// Defects that the simulation plants.
    var faults: Set<ServerFault> = []
    /// Called before each save; an error is one of the disk.
    var beforeSave: () throws -> Void = {}
    /// Called after each save; an error ends the request there, as the end of the process would.
    var onSave: () throws -> Void = {}

    init(
        _ container: NSPersistentContainer, _ authority: any SyncAuthority, _ limits: SyncLimits,
        _ environment: SyncEnvironment, accepted: [NSManagedObjectModel]? = nil
    ) {
        self.container = container
        model = SyncModel(container.managedObjectModel)
        versions = ModelVersions(container.managedObjectModel, model.schema, accepted: accepted)
        let kind = container.persistentStoreCoordinator.persistentStores.first?.type
        forms = RecordForms(
            model, container.managedObjectModel, large: limits.large,
            keepsDates: kind == NSSQLiteStoreType || kind == NSInMemoryStoreType)
        self.authority = authority
        self.limits = limits
        self.environment = environment
        writer = container.newBackgroundContext()
        writer.performAndWait {
            writer.undoManager = nil
            writer.transactionAuthor = Self.authorPrefix + "server"
        }
    }

    /// The latest clock that a stamp may have.
    var latestClock: UInt64 {
        SyncHybridClock.clock(of: environment.now().addingTimeInterval(limits.clockLead))
    }

    func mayWrite(_ entity: String, _ user: SyncUser) -> Bool { authority.mayWrite(entity: entity, user: user) }

    /// A batch with the server's names.
    ///
    /// - Throws: `SyncError` for a version of the model that the server does not serve.
    func checked(_ request: SyncPush) throws -> SyncPush {
        try versions.check(request.schema)
        let request = faults.contains(.forgetsNames) ? request : versions.present(request)
        try versions.checkParts(request, model)
        return request
    }

    /// - Parameter takesOlderForms: false if earlier saves changed the objects (F4).
    func formMaking(_ table: RecordTable, takesOlderForms: Bool = false) -> FormMaking {
        FormMaking(forms: forms, model: model, table: table, takesOlderForms: takesOlderForms)
    }

    /// Advances the clock, and that of each change, except for those ahead of the server's time.
    ///
    /// - Returns: a stamp of the server after these changes.
    func stamp(after changes: [SyncChange], _ state: StateRow) -> SyncStamp {
        var clock = SyncHybridClock(last: state.clock)
        let latest = latestClock
        for change in changes { clock.observe(min(change.stamp.clock, latest)) }
        let next = clock.next(environment.now())
        state.clock = clock.last
        return SyncStamp(clock: next, replica: SyncService.noName)
    }

    /// - Parameters:
    ///   - state: gets the next revision with the save.
    ///   - cause: the stamp of changes that no device sent.
    ///   - takesOlderForms: false if earlier saves changed the objects (F4).
    func consequences(
        _ context: NSManagedObjectContext, _ table: RecordTable, _ state: StateRow, cause: SyncStamp,
        takesOlderForms: Bool = false
    ) -> Consequences {
        Consequences(
            context: context, model: model, table: table, revision: state.revision + 1, cause: cause,
            makeID: environment.makeID, forms: formMaking(table, takesOlderForms: takesOlderForms), faults: faults)
    }

    /// The row with the revision; a new one if there was no row.
    func state(_ context: NSManagedObjectContext) throws -> StateRow {
        if let object = stateID.flatMap({ context.registeredObject(for: $0) }) { return StateRow(object: object) }
        let existing = try StateRow.existing(in: context)
        stateID = existing?.object.objectID
        return existing ?? StateRow.insert(in: context, epoch: environment.makeID())
    }

    /// Saves the changes of a context under the next revision.
    func number<Result>(
        _ context: NSManagedObjectContext, _ body: (StateRow) throws -> Result
    ) throws -> Result {
        let state = try state(context)
        state.revision += 1
        let result = try body(state)
        let revision = state.revision
        try beforeSave()
        try context.save()
        board.post(SyncNews(revision: revision))
        try onSave()
        return result
    }
}

/// A transaction of a history.
struct HistoryPlace {
    let number: Int64
    let token: NSPersistentHistoryToken
}
