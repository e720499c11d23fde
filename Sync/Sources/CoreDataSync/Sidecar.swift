// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store next to the app's store: names, waiting batches, refused changes, the place in the history.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// Where a sidecar store is.
enum SidecarPlace {
    case memory
    case file(URL)
}

/// Reads and writes the sidecar store. Every change that belongs together is one `save`.
final class Sidecar {
    let context: NSManagedObjectContext
    private let environment: SyncEnvironment
    /// The batch that waits longest, and its stored form. It is read when it is sent and when it is answered.
    private var unpacked: (form: Data, push: SyncPush)?
    /// The last place that this process has met, with its token.
    var lastPlace: CapturedPlace?

    init(_ container: NSPersistentContainer, _ environment: SyncEnvironment) {
        self.environment = environment
        context = container.newBackgroundContext()
        context.performAndWait { [context] in context.undoManager = nil }
    }

    /// Opens the sidecar of a store: in memory for stores in memory, otherwise a file next to theirs.
    static func container(nextTo store: NSPersistentStore) throws -> NSPersistentContainer {
        // SwiftData's stores in memory are SQLite's, at this path.
        if store.type == NSInMemoryStoreType || store.url?.path == "/dev/null" { return try container(.memory) }
        guard let url = store.url else {
            throw SyncFailure.unsuitableStore("The store has neither a file nor the type in memory.")
        }
        return try container(.file(self.url(nextTo: url)))
    }

    /// The file of the sidecar of a store in a file.
    static func url(nextTo store: URL) -> URL {
        store.deletingPathExtension().appendingPathExtension("sync.sqlite")
    }

    static func container(_ place: SidecarPlace, isReadOnly: Bool = false) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Sync", managedObjectModel: SidecarEntities.model())
        let description: NSPersistentStoreDescription
        switch place {
        case .memory:
            description = NSPersistentStoreDescription()
            description.type = NSInMemoryStoreType
        case .file(let url):
            description = NSPersistentStoreDescription(url: url)
            // 4 MB: names are looked up at random places, so that a larger cache finds few more of them.
            description.setValue("-4096" as NSString, forPragmaNamed: "cache_size")
        }
        description.isReadOnly = isReadOnly
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// Runs a block on the context's queue. Changes that it did not save are dropped.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        try context.performAndWait {
            defer { context.reset() }
            return try body()
        }
    }

    /// The row about the replica; nil before the first round.
    func existingState() throws -> StateRow? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.state)
        return try context.fetch(request).first.map { StateRow(object: $0, sidecar: self) }
    }

    /// The row about the replica; a new one if there was no row.
    func state() throws -> StateRow {
        if let state = try existingState() { return state }
        let object = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.state, into: context)
        object.setValue("state", forKey: "key")
        let state = StateRow(object: object, sidecar: self)
        state.replica = environment.makeID()
        state.number = 0
        state.revision = 0
        state.clock = 0
        state.isAnew = false
        state.isSettingUp = false
        return state
    }

    /// The waiting batches, the oldest first.
    func batches() throws -> [BatchRow] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.batch)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return try context.fetch(request).map(BatchRow.init)
    }

    func firstBatch() throws -> BatchRow? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.batch)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        request.fetchLimit = 1
        return try context.fetch(request).first.map(BatchRow.init)
    }

    func isWaiting() throws -> Bool {
        let first = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.batch)
        first.fetchLimit = 1
        return try context.count(for: first) > 0
    }

    /// - Parameters:
    ///   - place: the place in the app's history from which the batch was captured; nil if it was made otherwise.
    ///   - clock: the replica's clock before the capture.
    func insert(_ push: SyncPush, from place: CapturedPlace?, clock: UInt64 = 0) {
        let object = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.batch, into: context)
        let row = BatchRow(object: object)
        row.set(push)
        row.place = place
        row.clock = clock
        if unpacked == nil, let form = row.form { unpacked = (form, push) }
    }

    /// The batch of a row.
    ///
    /// - Throws: `SyncFailure.damagedBatch`.
    func push(of row: BatchRow) throws -> SyncPush {
        if let unpacked, let form = row.form, unpacked.form == form { return unpacked.push }
        let push = try row.push()
        unpacked = row.form.map { ($0, push) }
        return push
    }

    /// Deletes a batch.
    func remove(_ row: BatchRow) {
        unpacked = nil
        context.delete(row.object)
    }

    /// - Parameter group: equal for the changes that the server refused together.
    func insertRefusal(_ change: SyncChange, _ reasons: [SyncRefusal], group: String) {
        let object = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.refusal, into: context)
        object.setValue(environment.makeID().text, forKey: "id")
        object.setValue(change.name.text, forKey: "name")
        object.setValue(environment.now(), forKey: "date")
        object.setValue(group, forKey: "group")
        object.encode(change, "change")
        object.encode(reasons, "reasons")
    }

    func refusals() throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.refusal)
        request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
        return try context.fetch(request)
    }

    func removeStagedRecords() throws {
        for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.staged)) {
            context.delete(object)
        }
    }

    func removeStagedRecords(_ names: some Collection<UUID>) throws {
        let first = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.staged)
        first.fetchLimit = 1
        if names.isEmpty { return }
        if try context.count(for: first) == 0 { return }
        for part in names.map(\.text).sorted().parts {
            let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.staged)
            request.predicate = NSPredicate(format: "name IN %@", part)
            for object in try context.fetch(request) { context.delete(object) }
        }
    }

    func save() throws { if context.hasChanges { try context.save() } }
}
