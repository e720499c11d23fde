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
            let batches = try sidecar.batches().map { row in
                let push = try? row.push()
                return SidecarStatus.Batch(
                    number: row.number, changes: push?.changes.count ?? 0,
                    entities: Dictionary(grouping: push?.changes ?? [], by: \.entity).mapValues(\.count),
                    isDamaged: push == nil)
            }
            let rounds = try sidecar.rounds()
            let names = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)
            return SidecarStatus(
                replica: state?.replica, revision: state?.revision ?? 0,
                objects: try sidecar.context.count(for: names), batches: batches,
                refused: try sidecar.refusals().compactMap(\.refusedChange),
                marked: try sidecar.refusals().count { $0.value(forKey: "resend") as? Bool ?? false },
                lastSuccess: rounds.last { $0.error == nil }?.last, lastFailure: rounds.last { $0.error != nil })
        }
    }

    /// The last rounds, the oldest first.
    package func rounds() throws -> [SyncRound] { try sidecar.perform { try sidecar.rounds() } }

    /// Lets the next sync send refused changes again, each with those that were refused together with it.
    ///
    /// - Parameter ids: those of the changes; empty for all of them.
    /// - Returns: the number of changes that will be sent.
    /// - Throws: `SyncFailure.unknownChange` for an id that no refused change has; then none is marked.
    package func resend(_ ids: [UUID]) throws -> Int {
        try sidecar.perform {
            let rows = try sidecar.refusals()
            for id in ids where !rows.contains(where: { $0.value(forKey: "id") as? String == id.uuidString }) {
                throw SyncFailure.unknownChange(id)
            }
            let texts = Set(ids.map(\.uuidString))
            func text(_ row: NSManagedObject, _ key: String) -> String? { row.value(forKey: key) as? String }
            let chosen = rows.filter { texts.isEmpty || texts.contains(text($0, "id") ?? "") }
            let groups = Set(chosen.compactMap { text($0, "group") })
            let all = rows.filter { row in
                chosen.contains { $0 === row } || text(row, "group").map(groups.contains) ?? false
            }
            for row in all { row.setValue(true, forKey: "resend") }
            try sidecar.save()
            return all.count
        }
    }

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
        /// Whether it cannot be read: the next sync captures its changes again.
        package var isDamaged: Bool
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
    /// The number of refused changes that the next sync sends again.
    package var marked: Int
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
