// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The client of a server: keeps an app's store in step with it.
public import CoreData
import CoreDataSyncModel
public import CoreDataSyncProtocol
public import Foundation
import Synchronization

/// Keeps the store of an app in step with a server.
///
/// The store needs a history (`NSPersistentHistoryTrackingKey`). The client captures the app's saves, sends them, and
/// applies the changes of others in a separate context; a view context sees them with
/// `automaticallyMergesChangesFromParent`. Names and waiting changes are in a store next to the app's, with the same
/// name and the extension `sync.sqlite`.
///
/// ```swift
/// let client = try SyncClient(container: container, server: address, credentials: .token(token))
/// client.start()
/// for await event in client.events() { print(event) }
/// ```
///
/// - Important: one client for each store, and one process at a time. May be used from any task.
/// - SeeAlso: `Documentation/Design.md` for the rules of merging.
public final class SyncClient: Sendable {
    private let runner: SyncRunner
    /// The number of the last call of `start()` or `stop()`.
    private let orders = Mutex(0)

    /// Keeps the store of a container in step with the server that a transport reaches.
    ///
    /// ```swift
    /// let transport = DirectTransport(server: service, user: SyncUser(id: "ann"))  // without a network, in a test
    /// let client = try SyncClient(container: container, transport: transport)
    /// ```
    ///
    /// - Parameters:
    ///   - container: one store is loaded, with a history, in a file or in memory.
    ///   - transport: carries requests to the server.
    ///   - shapes: the names of the shapes to pull; empty for all that the server's authority gives the user. Objects
    ///     of other shapes leave the store with the next sync, as no deletion.
    ///   - environment: the sources of times and random ids.
    /// - Throws: `SyncFailure.unsuitableStore`; `SyncFailure.unknownStore` if the sidecar belongs to another store; an
    ///   error of the sidecar store.
    public convenience init(
        container: NSPersistentContainer, transport: any SyncTransport, shapes: [String] = [],
        environment: SyncEnvironment = SyncEnvironment()
    ) throws {
        try self.init(
            coordinator: container.persistentStoreCoordinator, transport: transport, shapes: shapes,
            environment: environment)
    }

    /// The same for a coordinator.
    public init(
        coordinator: NSPersistentStoreCoordinator, transport: any SyncTransport, shapes: [String] = [],
        environment: SyncEnvironment = SyncEnvironment()
    ) throws {
        runner = try SyncRunner(coordinator, transport, shapes, environment)
    }

    /// Captures, sends and applies until the store has the server's state and the server the store's changes.
    ///
    /// A call during another one waits for that one's result.
    ///
    /// - Throws: `SyncError` that the server gave; `SyncFailure.busy` if the app saves all the time; an error of the
    ///   transport or of a store. Steps that were done until then stay done, and the next call goes on.
    public func syncNow() async throws -> SyncReport { try await runner.sync() }

    /// Syncs now, after each save of the app, when the server has news, and each minute, until `stop()`.
    ///
    /// After an error it waits from one second up to five minutes.
    public func start() { setRunning(true) }

    /// Ends the work that `start()` began. A request that is under way is finished.
    public func stop() { setRunning(false) }

    /// Tasks may begin in another order than they were made in, so each carries its number.
    private func setRunning(_ isRunning: Bool) {
        let order = orders.withLock { orders in
            orders += 1
            return orders
        }
        Task { [runner] in await runner.setRunning(isRunning, order: order) }
    }

    /// Lets a function run each round from now on: for the span of a trace, or to keep the device awake.
    ///
    /// ```swift
    /// client.runRounds { round in
    ///     try await withSpan("sync") { _ in try await round() }
    /// }
    /// ```
    /// A round sees the task-local values of the task that called `syncNow()`, or those that the function sets. Rounds
    /// that `start()` begins see none of their caller's.
    ///
    /// - Parameter run: calls the round once and returns its report, in any task. `syncNow()` returns and throws what
    ///   the function does. nil runs rounds directly, as a new client does.
    public func runRounds(_ run: SyncRoundRunner?) { runner.run.withLock { $0 = run } }

    /// The events from now on. Each call gives another sequence, which keeps up to 1,000 unread events.
    public func events() -> AsyncStream<SyncEvent> { runner.board.stream() }

    /// The changes that the server refused, the oldest first. They stay until `forgetRefusedChange(_:)`
    /// or `resendRefusedChange(_:)`.
    public func refusedChanges() async throws -> [RefusedChange] { try await runner.refusedChanges() }

    /// Sends a refused change again with the next sync, with those of its transactions, as if they were made now.
    ///
    /// Use it after the reason is gone: the user has the right now, or the record that a rule needs is there. The
    /// changes are no longer among `refusedChanges()`; if the server refuses them again, they come back with its
    /// reasons. An inserted object that was removed from the store is inserted again with the sync that the server
    /// takes it in. Values that others set in the meantime are overwritten.
    ///
    /// ```swift
    /// for refused in try await client.refusedChanges() { try await client.resendRefusedChange(refused.id) }
    /// try await client.syncNow()
    /// ```
    /// An unknown id is ignored, so the loop may name several changes of one transaction.
    ///
    /// - Throws: an error of a store.
    public func resendRefusedChange(_ id: UUID) async throws { try await runner.resendRefusedChange(id) }

    /// The bytes of a large value of a refused change: a value of at least 256 KiB is there as `large`, with its hash.
    ///
    /// ```swift
    /// if case .large(let value)? = refused.change.fields["photo"]?.value { show(try await client.data(of: value)) }
    /// ```
    /// - Returns: text as UTF-8; nil if no waiting or refused change has the value any more.
    /// - Throws: an error of the store next to the app's.
    /// - Complexity: reads and hashes all bytes.
    public func data(of value: SyncLargeValue) async throws -> Data? { try await runner.data(of: value) }

    /// Forgets a refused change. An unknown id is ignored.
    public func forgetRefusedChange(_ id: UUID) async throws { try await runner.forgetRefusedChange(id) }

    /// Whether the server has an object's changes.
    ///
    /// - Returns: `waiting` for an object that was never sent, too.
    public func status(of id: NSManagedObjectID) async throws -> SyncStatus {
        try await runner.status(id.uriRepresentation().absoluteString)
    }
}

/// Runs a round of a client, and returns its report: `SyncClient.runRounds(_:)`.
public typealias SyncRoundRunner =
    @Sendable (_ round: @Sendable () async throws -> SyncReport) async throws -> SyncReport

/// The numbers of one `syncNow()`.
public struct SyncReport: Hashable, Sendable, Codable {
    /// Changes of records that the server answered.
    public var sent = 0
    /// Of these, the ones that it refused.
    public var refused = 0
    /// Properties and records whose newer state on the server stayed.
    public var superseded = 0
    /// New records that the server merged into older ones.
    public var merged = 0
    /// Objects that were inserted, updated and deleted on this device.
    public var inserted = 0, updated = 0, deleted = 0

    /// A report of a round that moved nothing.
    public init() {}
}

/// A step of a client.
public enum SyncEvent: Hashable, Sendable {
    /// The client has a new replica id, because its store was restored or copied.
    case newIdentity(UUID)
    /// A batch with this number of changes is about to be sent.
    case pushing(changes: Int)
    /// The first pull into an empty store begins to be applied in parts, or is finished: in between the store has whole
    /// records, each with all that it leads to, but not yet all of them.
    case setup(isFinished: Bool)
    /// The server answered a batch with this number of changes.
    case pushed(changes: Int)
    /// The server refused this number of changes; `refusedChanges()` has them.
    case refused(changes: Int)
    /// Newer changes of others won over this number of properties or records.
    case conflict(superseded: Int)
    /// The changes of others are about to be asked for.
    case pulling
    /// This number of records has arrived in the present pull.
    case progress(records: Int)
    /// Objects of this device were changed.
    case pulled(inserted: Int, updated: Int, deleted: Int)
    /// A round is finished.
    case finished(SyncReport)
    /// A round failed, and with it the push or pull that had begun. Domain and code are those of the error that
    /// `syncNow()` throws.
    case failed(NSError)
}

/// The state of an object's changes.
public enum SyncStatus: String, Hashable, Sendable {
    /// The server has them.
    case synced
    /// They wait.
    case waiting
    /// The server refused some.
    case refused
}

/// A change that the server refused.
public struct RefusedChange: Hashable, Sendable {
    /// Identifies it for `forgetRefusedChange(_:)`.
    public var id: UUID
    /// When the answer came.
    public var date: Date
    /// The change with its values.
    public var change: SyncChange
    /// The reasons: those of all records of its transactions.
    public var reasons: [SyncRefusal]
}
