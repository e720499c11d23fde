// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The server: takes batches of devices and gives them changed records.
public import CoreData
import CoreDataSyncModel
public import CoreDataSyncProtocol
public import Foundation

/// Keeps a store of this framework in step with devices.
///
/// ```swift
/// let model = try NSManagedObjectModel.syncServer(of: appModel)
/// let container = NSPersistentContainer(name: "Server", managedObjectModel: model)
/// let description = NSPersistentStoreDescription(url: url)
/// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
/// container.persistentStoreDescriptions = [description]
/// try await container.loadPersistentStores()
/// let service = try SyncService(container: container, authority: OpenAuthority())
/// ```
///
/// The program may read and change the same objects with the container's other contexts; devices get its saves with
/// their next pull. `NSPersistentStoreDescription.historyRetention` must keep transactions until the service has read
/// them: it is the named reader `CoreDataSync`.
///
/// - Important: may be used from any task. Pushes run one after the other.
/// - SeeAlso: `Documentation/Design.md` for the rules of merging, `Documentation/Protocol.md` for the requests.
public final class SyncService: SyncServing {
    /// The replica of the server's own changes, and a name that no record has.
    static let noName = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    /// The name of the service among the readers of the store's history.
    public static let historyReader = "CoreDataSync"

    private let core: ServiceCore
    private let waiting = WaitingPushes()

    /// - Parameters:
    ///   - container: one store is loaded, with a history, and its model was made with `syncServer(of:)`.
    ///   - authority: decides the rights of users to read and write.
    ///   - acceptedModels: the versions of the model that devices may have besides the container's; nil for all. A
    ///     device with another version is told which one it needs.
    ///   - limits: the bounds of requests.
    ///   - environment: the sources of times and random ids.
    /// - Throws: `SyncError.unavailable` if the container does not fit.
    public init(
        container: NSPersistentContainer, authority: any SyncAuthority,
        acceptedModels: [NSManagedObjectModel]? = nil, limits: SyncLimits = SyncLimits(),
        environment: SyncEnvironment = SyncEnvironment()
    ) throws {
        let coordinator = container.persistentStoreCoordinator
        guard container.managedObjectModel.entitiesByName[SyncEntityName.record] != nil else {
            throw SyncError(.unavailable, "Make the server's model with NSManagedObjectModel.syncServer(of:).")
        }
        guard coordinator.persistentStores.count == 1,
            coordinator.persistentStores[0].options?[NSPersistentHistoryTrackingKey] as? Bool == true
        else {
            throw SyncError(.unavailable, "Load one store with the option NSPersistentHistoryTrackingKey.")
        }
        core = ServiceCore(container, authority, limits, environment, accepted: acceptedModels)
    }

    /// Applies a batch, once.
    ///
    /// - Throws: `SyncError` if the request is refused as a whole; an error of the store if that failed. In both cases
    ///   nothing was applied, or only whole groups that a repeated push does not apply again.
    public func push(_ request: SyncPush, user: SyncUser) async throws -> SyncPushAnswer {
        try BatchCheck(limits: core.limits).check(request)
        return try await waiting.answer(to: request, user: user, core)
    }

    /// The same, for callers that may wait.
    public func pushAndWait(_ request: SyncPush, user: SyncUser) throws -> SyncPushAnswer {
        try BatchCheck(limits: core.limits).check(request)
        return try core.writer.performAndWait { try Self.push(request, user, core) }
    }

    /// Pushes that arrived at once, as those that wait for the service are.
    ///
    /// - Returns: the result of each in the order in which they were applied, with its place in `requests`.
    package func pushTogetherAndWait(
        _ requests: [(push: SyncPush, user: SyncUser)]
    ) -> [(index: Int, answer: Result<SyncPushAnswer, any Error>)] {
        core.writer.performAndWait { PushRound(service: core, requests: requests).run() }
    }

    /// Gives the page after a place.
    public func pull(_ request: SyncPull, user: SyncUser) async throws -> SyncPage {
        try await core.writer.perform { [core] in try Self.pull(request, user, core) }
    }

    /// The same, for callers that may wait.
    public func pullAndWait(_ request: SyncPull, user: SyncUser) throws -> SyncPage {
        try core.writer.performAndWait { try Self.pull(request, user, core) }
    }

    /// Keeps a part of a large value.
    ///
    /// - Throws: `SyncError` with `malformed` or `tooLarge`; an error of the store. The parts before stay.
    public func put(_ part: SyncPart, user: SyncUser) async throws -> SyncPartAnswer {
        try await core.writer.perform { [core] in try Self.put(part, user, core) }
    }

    /// The same, for callers that may wait.
    public func putAndWait(_ part: SyncPart, user: SyncUser) throws -> SyncPartAnswer {
        try core.writer.performAndWait { try Self.put(part, user, core) }
    }

    /// Gives a part of a large value of a record that the user may have.
    ///
    /// - Throws: `SyncError.missingData` for other records, and if the value has another hash by now.
    public func get(_ request: SyncPartRequest, user: SyncUser) async throws -> Data {
        try await core.writer.perform { [core] in try Self.get(request, user, core) }
    }

    /// The same, for callers that may wait.
    public func getAndWait(_ request: SyncPartRequest, user: SyncUser) throws -> Data {
        try core.writer.performAndWait { try Self.get(request, user, core) }
    }

    /// Notes of new revisions; a slow reader gets the latest only.
    public func news(user: SyncUser) -> AsyncStream<SyncNews> { core.board.stream() }

    /// Evaluates the shapes of a user once, so that a defect of a shape is found before a device pulls.
    ///
    /// - Throws: `SyncError.unavailable` with the name of the shape and the reason.
    public func checkShapes(of user: SyncUser) async throws {
        try await core.writer.perform { [core] in
            defer { core.writer.reset() }
            guard let shapes = try BoundShapes(core, user) else { return }
            try Membership(service: core, context: core.writer, user: user, shapes: shapes).check()
        }
    }

    /// Gives names and revisions to the changes of the server's own code, and posts the new revision to the streams.
    ///
    /// Each push and pull does this, so it is needed only to make devices with a stream pull at once.
    public func announceOwnChanges() async throws {
        try await core.writer.perform { [core] in
            defer { core.writer.reset() }
            try core.fold(core.writer)
        }
    }

    /// The same, for callers that may wait.
    public func announceOwnChangesAndWait() throws {
        try core.writer.performAndWait {
            defer { core.writer.reset() }
            try core.fold(core.writer)
        }
    }

    /// Forgets deleted records that no replica needs any more, and replicas that were away too long.
    ///
    /// Call it once a day or so. A replica that comes back after the limit sends its waiting changes under a new id and
    /// pulls everything; a change of a record that is deleted by then is refused, and kept for the app.
    ///
    /// ```swift
    /// let result = try await service.compact(inactivity: 90 * 24 * 3600)
    /// ```
    /// - Parameter inactivity: the seconds without a request after which a replica is forgotten.
    /// - Throws: an error of the store; the parts that were removed until then stay removed.
    public func compact(inactivity: TimeInterval) async throws -> SyncCompaction {
        try await core.writer.perform { [core] in
            defer { core.writer.reset() }
            return try core.compact(core.writer, inactivity: inactivity)
        }
    }

    /// The same, for callers that may wait.
    public func compactAndWait(inactivity: TimeInterval) throws -> SyncCompaction {
        try core.writer.performAndWait {
            defer { core.writer.reset() }
            return try core.compact(core.writer, inactivity: inactivity)
        }
    }

    /// Defects that the simulation plants, and steps at which it ends requests.
    package func plant(
        _ faults: Set<ServerFault>, beforeSave: @escaping () throws -> Void = {},
        onSave: @escaping () throws -> Void = {}
    ) {
        core.writer.performAndWait {
            core.beforeSave = beforeSave
            core.faults = faults
            core.onSave = onSave
        }
    }

    /// Compares the forms that count with their objects (F5). For tests: reads all records.
    ///
    /// - Returns: the first difference as text, nil without one; and the number of these forms.
    package func wrongForm() throws -> (text: String?, count: Int) {
        try core.writer.performAndWait { try core.wrongForm(core.writer) }
    }

    private static func push(_ request: SyncPush, _ user: SyncUser, _ core: ServiceCore) throws -> SyncPushAnswer {
        defer { core.writer.reset() }
        let request = try core.checked(request)
        return try PushExecution(service: core, context: core.writer, request: request, user: user).run()
    }

    private static func put(_ part: SyncPart, _ user: SyncUser, _ core: ServiceCore) throws -> SyncPartAnswer {
        defer { core.writer.reset() }
        return SyncPartAnswer(received: try Uploads(service: core, context: core.writer, user: user).put(part))
    }

    private static func get(_ request: SyncPartRequest, _ user: SyncUser, _ core: ServiceCore) throws -> Data {
        defer { core.writer.reset() }
        return try ValueParts(service: core, context: core.writer, user: user).get(request)
    }

    private static func pull(_ request: SyncPull, _ user: SyncUser, _ core: ServiceCore) throws -> SyncPage {
        guard request.version == syncProtocolVersion else {
            throw SyncError(.version, "The server speaks version \(syncProtocolVersion).")
        }
        try core.versions.check(request.schema)
        let context = core.writer
        defer {
            try? context.setQueryGenerationFrom(nil)
            context.reset()
        }
        for _ in 0..<8 {
            try context.setQueryGenerationFrom(nil)
            try core.fold(context)
            context.reset()
            guard let scope = try core.presentScope(of: request, user, context) else { continue }
            context.reset()
            try context.setQueryGenerationFrom(.current)
            let revision = try StateRow.existing(in: context)?.revision
            // The scope is that of the pinned moment, or a record that has just left it would be sent (Y10).
            guard try !core.hasForeignTransactions(context), scope.map({ $0.revision == revision }) ?? true else {
                continue
            }
            var pull = PullExecution(service: core, context: context, request: request, user: user, scope: scope)
            return core.versions.former(try pull.run(), for: request.schema)
        }
        throw SyncError(.unavailable, "The server's own code saves all the time.")
    }
}
