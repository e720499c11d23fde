// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sends refused changes again.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
package import Foundation

extension SyncEngine {
    /// Makes a batch of a refused change and those that were refused with it, as if they were made now.
    ///
    /// - Returns: the number of changes; 0 for an unknown id.
    @discardableResult
    package func resendRefusedChange(_ id: UUID) throws -> Int {
        // The app's saves since then are older than the change, as it is sent now.
        try capture()
        return try sidecar.perform {
            let refusals = try sidecar.refusals()
            guard let row = refusals.first(where: { $0.value(forKey: "id") as? String == id.text }) else {
                return 0
            }
            let group = row.value(forKey: "group") as? String
            let rows = group == nil ? [row] : refusals.filter { $0.value(forKey: "group") as? String == group }
            let state = try sidecar.state()
            var clock = SyncHybridClock(last: state.clock)
            let stamp = SyncStamp(clock: clock.next(environment.now()), replica: state.replica)
            let changes = rows.compactMap { row -> SyncChange? in
                let change: SyncChange? = row.decoded("change")
                return change?.made(at: stamp)
            }
            rows.forEach(sidecar.context.delete)
            let inserted = Set(changes.filter { $0.kind == .insert }.map(\.name))
            state.removals = state.removals.filter { !inserted.contains($0) }
            state.number += 1
            state.clock = clock.last
            // The app's objects do not have the values of the changes: it must come with the next pull.
            state.isAnew = true
            sidecar.insert(
                SyncPush(
                    replica: state.replica, number: state.number, id: environment.makeID(), schema: model.schema,
                    observed: state.revision, changes: changes), from: nil)
            try sidecar.save()
            return changes.count
        }
    }
}

extension SyncEngine {
    /// Sends the refused changes again that `coredata-sync resend` marked. One that is refused again has no mark.
    package func resendMarkedChanges() throws {
        while let id = try sidecar.perform({ try sidecar.markedRefusal() }) { try resendRefusedChange(id) }
    }
}

extension Sidecar {
    /// A refused change that shall be sent again; nil without such a change.
    fileprivate func markedRefusal() throws -> UUID? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.refusal)
        request.predicate = NSPredicate(format: "resend == YES")
        request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
        request.fetchLimit = 1
        return try context.fetch(request).first.flatMap { UUID(text: $0.value(forKey: "id") as? String ?? "") }
    }
}

extension SyncChange {
    /// The change with other stamps, alone in its batch.
    fileprivate func made(at stamp: SyncStamp) -> SyncChange {
        var change = self
        change.group = 0
        change.stamp = stamp
        change.fields = fields.mapValues { SyncField($0.value, stamp) }
        change.places = places.mapValues { $0.mapValues { SyncPlace($0.key, stamp) } }
        return change
    }
}
