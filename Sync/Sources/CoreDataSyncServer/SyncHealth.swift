// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of a server, read from its store: for pages and metrics.
public import CoreData
public import CoreDataSyncProtocol
import Foundation

/// The replicas of a server's store, how far behind they are, and the refused changes.
///
/// ```swift
/// let health = try await container.performBackgroundTask { try SyncHealth(reading: $0) }
/// let late = health?.replicas.filter { health!.lag(of: $0) ?? 0 > 1_000 }
/// ```
/// Reading changes nothing, and needs no service: another program may read the store of a running server.
public struct SyncHealth: Hashable, Sendable {
    /// One replica, as it was at its last push, or at a later pull that a compaction noted.
    public struct Replica: Hashable, Sendable {
        /// Its id.
        public var id: UUID
        /// The id of its user.
        public var user: String
        /// The number of its last batch that was answered.
        public var number: Int64
        /// The time of that request.
        public var seen: Date
        /// The server's revision that the replica had applied then; nil if it has not said one.
        public var applied: Int64?
        /// The reasons of the refusals in the last answer.
        public var refusals: [SyncRefusal]
        /// Whether a batch is applied in part, and its repetition is awaited.
        public var isPartial: Bool
    }

    /// The number of the last change.
    public var revision: Int64
    /// The number of records that are present.
    public var present: Int
    /// The number of deleted records that still have a name.
    public var deleted: Int
    /// The number of names that were merged into older ones.
    public var merged: Int
    /// The replicas, the one that was seen last first.
    public var replicas: [Replica]

    /// Whether a model is that of a server, made with `syncServer(of:)`.
    public static func isServer(_ model: NSManagedObjectModel) -> Bool {
        model.entitiesByName[SyncEntityName.state] != nil
    }

    /// The changes of the server that a replica lacked at that request.
    ///
    /// - Returns: nil if it is not known.
    public func lag(of replica: Replica) -> Int64? { replica.applied.map { max(0, revision - $0) } }

    /// Reads the state of a server's store.
    ///
    /// - Parameter context: a context of a store with the entities of `syncServer(of:)`.
    /// - Returns: nil for another store.
    /// - Throws: the error of the store.
    /// - Important: call on the context's queue.
    /// - Complexity: three counts over the records, and a fetch of all replicas.
    public init?(reading context: NSManagedObjectContext) throws {
        guard let model = context.persistentStoreCoordinator?.managedObjectModel, Self.isServer(model) else {
            return nil
        }
        revision = try StateRow.existing(in: context)?.revision ?? 0
        func count(_ state: RecordRow.State) throws -> Int {
            let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
            request.predicate = NSPredicate(format: "state == %d", Int(state.rawValue))
            return try context.count(for: request)
        }
        (present, deleted, merged) = (try count(.present), try count(.deleted), try count(.merged))
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.replica)
        request.sortDescriptors = [
            NSSortDescriptor(key: "seen", ascending: false), NSSortDescriptor(key: "replica", ascending: true),
        ]
        replicas = try context.fetch(request).map { object in
            let row = ReplicaRow(object: object)
            return Replica(
                id: UUID(uuidString: object.value(forKey: "replica") as? String ?? "") ?? SyncService.noName,
                user: row.user, number: row.number,
                seen: object.value(forKey: "seen") as? Date ?? .distantPast, applied: row.applied,
                refusals: row.answer?.outcomes.flatMap(\.refusals) ?? [], isPartial: row.part != nil)
        }
    }
}
