// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A device of a simulation: an app's store, a sidecar and a real engine.
import CoreData
import CoreDataSync
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

final class SimulatedDevice {
    let number: Int
    private(set) var container: NSPersistentContainer
    private(set) var sidecar: NSPersistentContainer
    let clock = SimulationClock()
    let model: SyncModel
    private(set) var engine: SyncEngine
    private let ids: IDSource
    /// Whether its model is an earlier version.
    let isOld: Bool
    private let appModel: NSManagedObjectModel
    /// The folder of its files; nil for stores in memory, which have no backups.
    private let folder: URL?
    private var fileCount = 0
    private var backup: Backup?
    private let faults: Set<ClientFault>
    /// When the request that is under way was sent.
    var sent: Double?
    var isolatedUntil = 0.0
    /// The number of the request that is under way; replies to others are late.
    var serial = 0
    /// The number of steps until the process ends; nil for never.
    var stepsToCrash: Int?
    /// Whether that step fails only, and the process goes on.
    var failsOnly = false
    /// The number of refused changes that were sent again.
    private(set) var resent = 0
    var random = SimulationRandom(seed: 0)
    /// The numbers of refused changes of the answers that arrived, by batch.
    var refused: [UUID: Int] = [:]
    /// The number of refused changes that a restored sidecar had.
    private(set) var forgiven = 0
    /// The revision of the last application.
    var applied: Int64 = 0
    /// The shapes of the last page; nil in runs without shapes.
    var view: SimulationView?
    /// The number of saves of the app.
    var saves = 0

    /// Copies of both stores, and the app's knowledge at that time.
    private struct Backup {
        var app: URL
        var sidecar: URL
        var saves: Int
    }

    init(
        _ number: Int, isOld: Bool, _ ids: IDSource, _ fault: PlantedFault?, folder: URL?
    ) throws {
        self.number = number
        self.ids = ids
        self.folder = folder
        let model = SimulationModel.make(isOld: isOld)
        appModel = model
        self.isOld = isOld
        self.model = SyncModel(model)
        if let folder {
            container = try SimulationModel.container(
                "Device", model, folder.appendingPathComponent("\(number).sqlite"))
            sidecar = try SyncEngine.sidecar(at: folder.appendingPathComponent("\(number).sync.sqlite"))
        } else {
            container = try SimulationModel.container("Device", model)
            sidecar = try SyncEngine.sidecarInMemory()
        }
        if case .client(let fault) = fault { faults = [fault] } else { faults = [] }
        let clock = clock
        engine = try SyncEngine(
            coordinator: container.persistentStoreCoordinator, sidecar: sidecar,
            environment: SyncEnvironment(now: { clock.now }, makeID: { ids.next() }), pageSize: 5,
            identifier: "\(number)", faults: faults, sizes: SimulationModel.sizes)
        prepare()
    }

    /// Starts the process again over the same stores.
    func start() throws {
        let clock = clock
        let ids = ids
        stepsToCrash = nil
        sent = nil
        serial += 1
        engine = try SyncEngine(
            coordinator: container.persistentStoreCoordinator, sidecar: sidecar,
            environment: SyncEnvironment(now: { clock.now }, makeID: { ids.next() }), pageSize: 5,
            identifier: "\(number)", faults: faults, sizes: SimulationModel.sizes)
        prepare()
    }

    /// Copies both stores; objects that were not captured are recognized by the transactions that inserted them.
    func backUp() throws {
        guard let folder else { return }
        fileCount += 1
        let name = "\(number)-\(fileCount)"
        let backup = Backup(
            app: folder.appendingPathComponent("\(name).backup.sqlite"),
            sidecar: folder.appendingPathComponent("\(name).backup.sync.sqlite"), saves: saves)
        try container.persistentStoreCoordinator.persistentStores.first?.backup(to: backup.app)
        try sidecar.persistentStoreCoordinator.persistentStores.first?.backup(to: backup.sidecar)
        self.backup = backup
    }

    /// Puts the app's store back to the last backup, and the sidecar too if `isBoth`.
    ///
    /// - Returns: false without a backup.
    func restore(isBoth: Bool) throws -> Bool {
        guard let folder, let backup else { return false }
        for id in try engine.waitingBatches() { refused[id] = nil }
        fileCount += 1
        let name = "\(number)-\(fileCount)"
        let (app, side) = (
            folder.appendingPathComponent("\(name).sqlite"), folder.appendingPathComponent("\(name).sync.sqlite")
        )
        try FileManager.default.copyItem(at: backup.app, to: app)
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        container = try SimulationModel.container("Device", appModel, app)
        if isBoth {
            try FileManager.default.copyItem(at: backup.sidecar, to: side)
            for store in sidecar.persistentStoreCoordinator.persistentStores {
                try sidecar.persistentStoreCoordinator.remove(store)
            }
            sidecar = try SyncEngine.sidecar(at: side)
            refused = [:]
            forgiven = try keptRefusals()
            resent = 0
        }
        saves = backup.saves
        applied = 0
        try start()
        return true
    }

    private func prepare() {
        // The real times of transactions differ from run to run.
        engine.transactionTime = { transaction in
            let bits = (transaction.contextName ?? "").split(separator: " ").first.flatMap { UInt64($0) } ?? 0
            return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        }
        engine.transactionMark = { $0.contextName ?? "" }
        engine.onStep = { [weak self] _ in
            guard let device = self, let steps = device.stepsToCrash else { return }
            device.stepsToCrash = steps - 1
            if steps > 1 { return }
            device.stepsToCrash = nil
            if device.failsOnly { throw SimulatedDiskError() }
            throw SimulatedCrash()
        }
    }

    /// - Parameter isShaped: whether objects get owners, mostly the device's user.
    func edit(_ random: SimulationRandom, isShaped: Bool) throws -> Bool {
        var source = random
        return try asApp(&source) { context, _ in
            let own = Array(repeating: SimulationView.user(ofDevice: number), count: 3)
            var edits = SimulationEdits(
                context: context, random: random, owners: isShaped ? own + SimulationView.users : [])
            let isSaved = try edits.transaction(isServer: false)
            if isSaved, edits.isPersistent { saves += 1 }
            return isSaved
        } ?? false
    }

    /// Runs the app's code with a context.
    ///
    /// - Returns: nil during a first pull. The app waits: it would see one half of a pair.
    func asApp<Value>(
        _ random: inout SimulationRandom,
        _ body: (NSManagedObjectContext, inout SimulationRandom) throws -> Value?
    ) throws -> Value? {
        if try engine.isSettingUp() { return nil }
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            context.transactionAuthor = "app"
            context.name = "\(clock.now.timeIntervalSinceReferenceDate.bitPattern) \(random.id())"
            return try body(context, &random)
        }
    }

    /// Changes a byte of the batch that waits longest.
    func damageBatch() throws {
        let context = sidecar.newBackgroundContext()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "SyncBatch")
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            guard let row = try context.fetch(request).first, var bytes = row.value(forKey: "push") as? Data else {
                return
            }
            bytes[bytes.startIndex] ^= 0xFF
            row.setValue(bytes, forKey: "push")
            try context.save()
        }
    }

    /// Lets the changes of a damaged batch be captured again, as the client does.
    func mend(_ number: Int64) throws {
        sent = nil
        serial += 1
        for id in try engine.waitingBatches() { refused[id] = nil }
        try engine.mendDamagedBatches(number)
    }

    /// Sends a refused change again, if there is one.
    func resend(_ random: inout SimulationRandom) throws {
        let context = sidecar.newBackgroundContext()
        let ids = try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "SyncRefusedChange"))
                .compactMap { $0.value(forKey: "id") as? String }.sorted()
        }
        guard let id = ids.randomElement(using: &random).flatMap(UUID.init(text:)) else { return }
        resent += try engine.resendRefusedChange(id)
    }

    /// Follows the protocol's rules for errors.
    func take(_ error: SyncError, _ request: SimulationRequest) throws {
        switch error.code {
        case .forked, .gap:
            // A late copy of an answered request gives the same error, and means nothing.
            guard case .push(let push) = request, try engine.waitingBatches().first == push.id else { return }
            guard folder != nil else { throw error }
            for id in try engine.waitingBatches() { refused[id] = nil }
            try engine.takeNewIdentity()
        case .startAnew: try engine.startAnew()
        case .missingData: if case .push = request { engine.forgetUploads() } else { engine.dropPages() }
        default: throw error
        }
    }

    func image() throws -> ReplicaImage {
        let context = container.newBackgroundContext()
        let names = try names()
        return try context.performAndWait {
            let image = try ReplicaImage(context, model, names: names, hidden: nil)
            return isOld ? image.withPresentNames() : image
        }
    }

    private func names() throws -> [String: UUID] {
        let context = sidecar.newBackgroundContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "SyncName")
            request.returnsObjectsAsFaults = false
            var names: [String: UUID] = [:]
            for row in try context.fetch(request) {
                guard let uri = row.value(forKey: "object") as? String else { continue }
                names[uri] = UUID(text: row.value(forKey: "name") as? String ?? "")
            }
            return names
        }
    }

    /// The number of changes that the client keeps for the app as refused.
    func keptRefusals() throws -> Int {
        let context = sidecar.newBackgroundContext()
        return try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "SyncRefusedChange"))
        }
    }

    /// The number of transactions of the app in the history, as a reader of it sees them.
    func recordedSaves() throws -> Int {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            request.resultType = .transactionsOnly
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            return transactions.filter { $0.author == "app" || $0.author == nil }.count
        }
    }
}
