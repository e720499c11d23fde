// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Captures the changes of a waiting batch again that cannot be read any more.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The sidecar's file may be damaged, and with it a batch. Its changes are still in the app's store (`Design.md`, D1 to
/// D4).
extension SyncEngine {
    /// The number of a waiting batch that cannot be read; nil if all can be.
    package func damagedBatch() throws -> Int64? {
        try sidecar.perform { try sidecar.batches().first { (try? $0.push()) == nil }?.number }
    }

    /// Drops the damaged batches and those that were captured after the first of them, and goes back to the place in
    /// the app's history from which that one was captured.
    ///
    /// - Parameter number: that of a batch with damaged large values; nil for none.
    package func mendDamagedBatches(_ number: Int64? = nil) throws {
        try sidecar.perform {
            let rows = try sidecar.batches()
            let first = rows.firstIndex { (try? $0.push()) == nil || $0.number == number }
            guard let first else { return }
            let state = try sidecar.state()
            let place = rows[first].place
            let lost = rows[first...].filter { $0.place != nil || (try? $0.push()) == nil || $0.number == number }
            // (D2) Only the batches have the names of deleted objects.
            let deletions = deletions(of: lost.compactMap { try? $0.push() })
            lost.forEach(sidecar.remove)
            if !deletions.isEmpty {
                state.number += 1
                sidecar.insert(
                    SyncPush(
                        replica: state.replica, number: state.number, id: environment.makeID(), schema: model.schema,
                        observed: state.revision, changes: deletions), from: nil)
            }
            // All of this is one commit: the changes are in a batch, or will be captured.
            try Identity(sidecar: sidecar, environment: environment).renew(state)
            let context = newContext()
            try context.performAndWait { try goBack(to: place, of: rows[first], state, context) }
            state.after = nil
            state.isAnew = true
            state.revision = 0
            try sidecar.save()
        }
        onServer = [:]
    }

    /// The deletions of batches in the groups that they had.
    private func deletions(of batches: [SyncPush]) -> [SyncChange] {
        var result: [SyncChange] = []
        for push in batches {
            let first = (result.map(\.group).max() ?? -1) + 1
            for var change in push.changes where change.kind == .delete {
                change.group += first
                result.append(change)
            }
        }
        return result
    }

    private func goBack(
        to place: CapturedPlace?, of row: BatchRow, _ state: StateRow, _ context: NSManagedObjectContext
    ) throws {
        let history = AppHistory(context: context)
        let known = try place.flatMap { try history.newestKnown(of: [$0]) }
        passed = nil
        passedPlaces = []
        guard let place = known else {
            // (D4)
            recaptureTime = Date(timeIntervalSince1970: Double(row.clock >> 16) / 1000)
            state.places = []
            return try rememberPresentState(context, Set(NameTable(sidecar).all().map(\.uri)))
        }
        let transactions = try history.transactions(after: place)
        let touched = Set(
            transactions.filter(\.isOfApp).flatMap { $0.changes ?? [] }
                .map { $0.changedObjectID.uriRepresentation().absoluteString })
        // Applications after the place are no longer listed, but still known as those of this sidecar.
        state.adopted = transactions.filter { !$0.isOfApp }.compactMap { transaction in
            transaction.author.flatMap { UUID(text: String($0.dropFirst(AppHistory.authorPrefix.count))) }
        }
        state.places = state.places.prefix { !$0.isSame(place) } + [place]
        state.clock = min(state.clock, row.clock)
        try rememberPresentState(context, touched)
    }
}
