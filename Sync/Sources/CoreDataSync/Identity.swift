// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notices a restored store, and gives the replica a new id (Y8).
import CoreData
import CoreDataSyncProtocol
import Foundation

struct Identity {
    let sidecar: Sidecar
    let environment: SyncEnvironment

    /// Takes a new id. Batches keep their stamps, so that what the server took already changes nothing.
    func renew(_ state: StateRow) throws {
        state.replica = environment.makeID()
        state.number = 0
        for row in try sidecar.batches() {
            guard var push = row.push else { continue }
            state.number += 1
            push.replica = state.replica
            push.number = state.number
            push.id = environment.makeID()
            row.push = push
        }
    }

    /// Goes back to a place that the restored store and the sidecar both know.
    ///
    /// Names that were given later belong to objects that the store does not have; their ids may be those of other
    /// objects now.
    func goBack(to place: CapturedPlace, _ state: StateRow) throws {
        try renew(state)
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)
        request.predicate = NSPredicate(format: "number > %lld", place.number)
        for object in try sidecar.context.fetch(request) { sidecar.context.delete(object) }
        state.places = Array(state.places.prefix { $0 != place }) + [place]
        state.journal = nil
        state.after = nil
        state.revision = 0
    }
}

extension SyncEngine {
    /// Compares the captured place with the app's history.
    ///
    /// - Throws: `SyncFailure.unknownStore` if the history knows none of the sidecar's places.
    func recognizeStore() throws {
        try sidecar.perform {
            let state = try sidecar.state()
            guard let last = state.places.last else { return }
            let context = newContext()
            let known = try context.performAndWait {
                try AppHistory(context: context).newestKnown(of: state.places)
            }
            if known == last || faults.contains(.keepsIdentity) { return }
            guard let known else { throw SyncFailure.unknownStore }
            try Identity(sidecar: sidecar, environment: environment).goBack(to: known, state)
            try sidecar.save()
        }
    }
}
