// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of a client without its app: for `coredata-sync`, which shows it and makes the store a new replica.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
package import Foundation

/// The sidecar of an app's store, opened without the app's store and model.
package struct SidecarInspection {
    /// The file next to the app's store.
    package let url: URL
    private let sidecar: Sidecar

    /// - Parameters:
    ///   - store: the app's store.
    ///   - isWritable: false opens the sidecar for reading only.
    /// - Throws: `SyncFailure.unsuitableStore` if no client has synced the store; an error of the sidecar store.
    package init(of store: URL, isWritable: Bool = false) throws {
        url = Sidecar.url(nextTo: store)
        guard FileManager.default.fileExists(atPath: store.path) else {
            throw SyncFailure.unsuitableStore("There is no store at \(store.path).")
        }
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw SyncFailure.unsuitableStore(
                "No client has synced \(store.lastPathComponent): \(url.lastPathComponent) is not next to it.")
        }
        sidecar = Sidecar(try Sidecar.container(.file(url), isReadOnly: !isWritable), SyncEnvironment())
    }

    /// The state of the replica.
    package func status() throws -> SidecarStatus {
        try sidecar.perform {
            let state = try sidecar.existingState()
            let batches = try sidecar.batches().compactMap(\.push).map { push in
                SidecarStatus.Batch(
                    number: push.number, changes: push.changes.count,
                    entities: Dictionary(grouping: push.changes, by: \.entity).mapValues(\.count))
            }
            let rounds = try sidecar.rounds()
            let names = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)
            return SidecarStatus(
                replica: state?.replica, revision: state?.revision ?? 0,
                objects: try sidecar.context.count(for: names), batches: batches,
                refused: try sidecar.refusals().compactMap(\.refusedChange),
                lastSuccess: rounds.last { $0.error == nil }?.last, lastFailure: rounds.last { $0.error != nil })
        }
    }

    /// The last rounds, the oldest first.
    package func rounds() throws -> [SyncRound] { try sidecar.perform { try sidecar.rounds() } }

    /// Gives the store a new replica id, and lets the next round pull everything (A5).
    ///
    /// - Returns: the new id.
    package func reset() throws -> UUID {
        try sidecar.perform {
            let state = try sidecar.state()
            try Identity(sidecar: sidecar, environment: SyncEnvironment()).renew(state)
            state.after = nil
            state.isAnew = true
            state.revision = 0
            try sidecar.save()
            return state.replica
        }
    }
}

/// The state of a replica, from its sidecar.
package struct SidecarStatus: Sendable {
    /// A batch that waits for the server's answer.
    package struct Batch: Sendable {
        package var number: Int64
        package var changes: Int
        /// The number of changes by entity.
        package var entities: [String: Int]
    }

    /// nil before the first round.
    package var replica: UUID?
    /// The server's revision that is applied; 0 before the first pull.
    package var revision: Int64
    /// The number of objects that have a name.
    package var objects: Int
    /// The waiting batches, the oldest first.
    package var batches: [Batch]
    /// The refused changes, the oldest first.
    package var refused: [RefusedChange]
    /// The end of the last round that succeeded; nil before that.
    package var lastSuccess: Date?
    /// The last round that failed; nil before that.
    package var lastFailure: SyncRound?
}

extension NSManagedObject {
    /// The refused change that a row of the sidecar has; nil for a damaged row.
    var refusedChange: RefusedChange? {
        guard let id = UUID(text: value(forKey: "id") as? String ?? ""),
            let date = value(forKey: "date") as? Date, let change: SyncChange = decoded("change"),
            let reasons: [SyncRefusal] = decoded("reasons")
        else { return nil }
        return RefusedChange(id: id, date: date, change: change, reasons: reasons)
    }
}
