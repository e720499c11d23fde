// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The client's steps, without waiting and without a network.
package import CoreData
package import CoreDataSyncModel
package import CoreDataSyncProtocol
import Foundation

/// Captures, gives requests and takes answers. `SyncClient` runs it over a network, the simulation over a queue.
///
/// # States of a batch
///     (history) ──capture──▶ waiting ──push──▶ sent ──answer──▶ gone, refused, or waiting anew
/// # Invariants
/// (1) A batch that waits is not changed until it is answered: a repeated request is the same request.
/// (2) Pages are applied only while nothing waits (Y4).
/// (3) The pages of one pull are applied in one save (Y3).
///
/// Not to be used by two tasks at once.
package final class SyncEngine {
    /// The moments at which a process may end; the simulation ends it there.
    package enum Step: String, CaseIterable, Sendable {
        case beforeCapture, afterCapture, beforeAnswer, afterAnswer, beforeJournal, afterJournal, afterSave
        case afterApplication, beforePart, afterPart
    }

    package let model: SyncModel
    let coordinator: NSPersistentStoreCoordinator
    let sidecar: Sidecar
    let environment: SyncEnvironment
    let pageSize: Int
    /// The names of the shapes to pull; empty for all of the user's.
    let shapes: [String]
    /// A place after the last capture, since which only sync has saved.
    var passed: CapturedPlace?
    /// The transactions of sync up to there that the sidecar does not list yet.
    var passedPlaces: [CapturedPlace] = []
    var session: PullSession?
    /// The bytes of large values.
    let contents: ContentStore
    /// The bytes of large values that the server said to have, by hash.
    var onServer: [String: Int64] = [:]
    /// The large values that the present pull needs; nil before they were looked for.
    var downloads: [(request: SyncPartRequest, value: SyncLargeValue)]?
    /// The time of the changes that a damaged batch had, if the app's history does not have it any more.
    var recaptureTime: Date?
    /// The number of the last transaction that the client acknowledged as a reader of the history.
    var acknowledged: Int64 = 0
    /// Called at each step; an error ends the operation as the end of the process would.
    package var onStep: (Step) throws -> Void = { _ in }
    /// The time of a transaction; the simulation replaces it by virtual time.
    package var transactionTime: (NSPersistentHistoryTransaction) -> Date = { $0.timestamp }
    /// Identifies a transaction in its store, also after a restoration; the simulation replaces it to be repeatable.
    package var transactionMark: (NSPersistentHistoryTransaction) -> String = {
        "\($0.transactionNumber) \($0.timestamp.timeIntervalSinceReferenceDate.bitPattern)"
    }
    /// Makes the names of new objects.
    let stableName: StableName
    /// Faults that the simulation plants.
    let faults: Set<ClientFault>
    private var sent: Set<UUID> = []

    /// - Parameters:
    ///   - coordinator: one store is loaded, with a history.
    ///   - sidecar: the container of the sidecar store; nil for the default one, next to the app's store.
    ///   - shapes: the names of the shapes to pull; empty for all of the user's.
    ///   - identifier: identifies the store, also after a restoration; that of the store unless given.
    ///   - faults: those that the simulation plants. They act from the first step, which recognizes the store.
    package init(
        coordinator: NSPersistentStoreCoordinator, sidecar: NSPersistentContainer? = nil,
        environment: SyncEnvironment = SyncEnvironment(), pageSize: Int = 1_000, shapes: [String] = [],
        identifier: String? = nil, faults: Set<ClientFault> = [],
        sizes: LargeDataSizes = LargeDataSizes()
    ) throws {
        let stores = coordinator.persistentStores
        guard let store = stores.first, stores.count == 1,
            store.options?[NSPersistentHistoryTrackingKey] as? Bool == true
        else { throw SyncFailure.unsuitableStore("Load one store with the option NSPersistentHistoryTrackingKey.") }
        self.coordinator = coordinator
        self.environment = environment
        self.pageSize = pageSize
        self.shapes = shapes.sorted()
        stableName = StableName(store: identifier ?? store.identifier ?? "")
        self.faults = faults
        model = SyncModel(coordinator.managedObjectModel)
        let container = try sidecar ?? Sidecar.container(nextTo: store)
        self.sidecar = Sidecar(container, environment)
        contents = ContentStore(container, sizes)
        try recognizeStore()
        try finishApplication()
        try adaptToModel()
    }

    /// An entity that requests may name where any would do.
    var anyEntity: String { model.entities.keys.sorted().first ?? "" }

    func time(of transaction: NSPersistentHistoryTransaction) -> Date { transactionTime(transaction) }

    func mark(of transaction: NSPersistentHistoryTransaction) -> String { transactionMark(transaction) }

    func crash(_ step: Step) throws { try onStep(step) }

    func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            context.undoManager = nil
        }
        return context
    }

    // MARK: Steps

    /// Captures the app's saves since the last capture.
    ///
    /// - Returns: the number of changes that wait because of it.
    @discardableResult
    package func capture() throws -> Int {
        // A commit of the sidecar may have failed after that of the app's store, in a process that goes on.
        try finishApplication()
        return try Capture(engine: self, context: newContext()).run()
    }

    /// The batch that waits longest; nil if none waits.
    ///
    /// - Throws: `SyncFailure.damagedBatch`.
    package func nextPush() throws -> SyncPush? {
        let push = try sidecar.perform { try sidecar.firstBatch().map(sidecar.push) }
        if let push, faults.contains(.forgetsBatches), !sent.insert(push.id).inserted { return nil }
        return push
    }

    /// Takes the server's answer to the batch that waits longest. Other answers are late ones, and change nothing.
    ///
    /// - Returns: nil for a late answer.
    @discardableResult
    package func receive(_ answer: SyncPushAnswer) throws -> AnswerSummary? {
        try AnswerHandling(engine: self).take(answer)
    }

    /// The first request of a pull; nil while something waits.
    package func beginPull() throws -> SyncPull? {
        try sidecar.perform {
            dropPages()
            guard try !sidecar.isWaiting() || faults.contains(.pullsEarly) else { return nil }
            let state = try sidecar.state()
            // A first pull in parts that begins again is still under way: the store has halves of transactions until
            // everything is applied, in one save.
            if state.after == nil { try sidecar.removeStagedRecords() }
            let isOfParts = try state.after == nil ? NameTable(sidecar).isEmpty() : state.isSettingUp
            try sidecar.save()
            let request = SyncPull(
                replica: state.replica, schema: model.schema, after: state.after, applied: state.revision,
                number: state.isAnew ? nil : state.number, limit: pageSize, shapes: shapes)
            session = PullSession(request: request, isOfParts: isOfParts)
            return request
        }
    }

    /// Takes a page that answers a request of the present pull.
    ///
    /// - Returns: the request for the following page; nil if this was the last one, or answers no request of this pull.
    package func receive(_ page: SyncPage, for request: SyncPull) -> SyncPull? {
        var page = page
        if faults.contains(.appliesHalves) { page.isLast = true }
        return session?.add(page, for: request)
    }

    /// Whether the present pull applies each page on its own.
    var appliesParts: Bool { session?.isOfParts ?? false }

    /// Whether all pages of the present pull are there.
    package var hasAllPages: Bool { session?.isComplete ?? false }

    /// Applies the pages of the present pull.
    ///
    /// - Returns: nil if the app saved meanwhile: capture and push first, then pull anew.
    package func apply() throws -> AppliedSummary? {
        guard let session, session.isComplete else { return nil }
        dropPages()
        try capture()
        if try isWaiting(), !faults.contains(.pullsEarly) { return nil }
        do {
            let isPart = session.isOfParts && session.hasParts
            let summary =
                isPart
                ? try Setup(engine: self, session: session).run()
                : try Application(engine: self, session: session).run()
            if summary != nil { try dropUnusedContents() }
            return summary
        } catch is MissingContent {
            // A waiting record of a first pull cannot be asked for alone.
            if try isSettingUp() { try startAnew() }
            return nil
        }
    }

    /// Whether a batch waits for its answer.
    package func isWaiting() throws -> Bool { try sidecar.perform { try sidecar.isWaiting() } }

    /// The ids of the batches that wait, the oldest first.
    package func waitingBatches() throws -> [UUID] {
        try sidecar.perform { try sidecar.batches().compactMap { try? $0.push().id } }
    }

    /// The server's revision whose state is applied; 0 before the first application.
    package func appliedRevision() throws -> Int64 { try sidecar.perform { try sidecar.state().revision } }

    /// A container for the sidecar of a store in memory, which a program keeps as long as that store.
    package static func sidecarInMemory() throws -> NSPersistentContainer { try Sidecar.container(.memory) }

    /// A container for the sidecar of a store in a file.
    package static func sidecar(at url: URL) throws -> NSPersistentContainer { try Sidecar.container(.file(url)) }

    /// Whether the first pull is under way and has more pages: pull again.
    package func isSettingUp() throws -> Bool { try sidecar.perform { try sidecar.state().isSettingUp } }

    // MARK: Identity

    /// The id of this replica.
    package func replica() throws -> UUID {
        try sidecar.perform {
            let state = try sidecar.state()
            try sidecar.save()
            return state.replica
        }
    }

    /// Takes a new replica id, and numbers the waiting batches anew (Y8).
    package func takeNewIdentity() throws {
        try sidecar.perform {
            try Identity(sidecar: sidecar, environment: environment).renew(try sidecar.state())
            try sidecar.save()
        }
    }

    /// Makes the next pull one of everything. Until then the device keeps its revision.
    package func startAnew() throws {
        try sidecar.perform {
            let state = try sidecar.state()
            state.after = nil
            state.isAnew = true
            try sidecar.save()
        }
    }
}

/// Defects that the simulation plants in a client, to prove that its checks find them.
package enum ClientFault: String, CaseIterable, Sendable {
    /// Pages are asked for and applied while batches wait (Y4).
    case pullsEarly
    /// Refused changes are not kept (Y5).
    case dropsRefusals
    /// A page is applied as soon as it is there (Y3).
    case appliesHalves
    /// A restored store keeps its replica id (Y8).
    case keepsIdentity
    /// Sync reads the history under the app's author, so that its saves are captured again (Y9).
    case savesAsApp
    /// A batch whose answer is lost is not sent again (Y7).
    case forgetsBatches
    /// New objects get random names (Y8).
    case namesAtRandom
    /// Pages are applied without the bytes of their large values (Y3).
    case appliesMissing
    /// Bytes that arrive are not compared with their hash (Y2).
    case trustsParts
}

/// The numbers of an answer.
package struct AnswerSummary: Equatable, Sendable {
    package var changes = 0
    package var refused = 0
    package var superseded = 0
    package var merged = 0
}

/// The numbers of an application.
package struct AppliedSummary: Equatable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var deleted = 0
}
