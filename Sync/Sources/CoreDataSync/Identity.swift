// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notices a restored store, and gives the replica a new id (Y8).
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

struct Identity {
    let sidecar: Sidecar
    let environment: SyncEnvironment

    /// Takes a new id. Batches keep their stamps, so that a batch that the server took already changes nothing.
    func renew(_ state: StateRow) throws {
        state.replica = environment.makeID()
        state.number = 0
        for row in try sidecar.batches() {
            state.number += 1
            guard var push = try? row.push() else {
                // It is captured again when it is the first one (`mendDamagedBatches`).
                row.object.setValue(state.number, forKey: "number")
                continue
            }
            push.replica = state.replica
            push.number = state.number
            push.id = environment.makeID()
            row.set(push)
        }
    }

    /// Goes back to a place that the restored store and the sidecar both know.
    ///
    /// Names that were given later belong to objects that the store does not have; their ids may be those of other
    /// objects now. Everything is pulled again, also the refused insertions' absence.
    func goBack(to place: CapturedPlace, _ state: StateRow) throws {
        try renew(state)
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)
        request.predicate = NSPredicate(format: "number > %lld", place.number)
        for object in try sidecar.context.fetch(request) { sidecar.context.delete(object) }
        state.places = state.places.prefix { !$0.isSame(place) } + [place]
        state.journal = nil
        state.adopted = []
        state.after = nil
        state.isAnew = true
        state.revision = 0
    }
}

extension SyncEngine {
    /// Compares the captured place with the app's history.
    ///
    /// - Throws: `SyncFailure.unknownStore` if the history knows none of the sidecar's places, or if it has
    ///   applications of sync that the sidecar does not know: then the sidecar is the older one.
    func recognizeStore() throws {
        try sidecar.perform {
            let state = try sidecar.state()
            guard let last = state.places.last, !faults.contains(.keepsIdentity) else { return }
            let context = newContext()
            try context.performAndWait {
                let history = AppHistory(context: context)
                let found = try history.newestKnown(of: state.places)
                let isMigrated = state.schema.map { $0 != model.schema } ?? false
                if isMigrated, found == nil || found?.number == 0 && last.number > 0 {
                    return try adoptMigratedStore(state, context)
                }
                guard let known = found else { throw SyncFailure.unknownStore }
                if known.isSame(last) {
                    sidecar.lastPlace = known
                    try refuseUnknownApplications(history, state)
                    return
                }
                let touched = Set(
                    try history.transactions(after: known).flatMap { $0.changes ?? [] }
                        .map { $0.changedObjectID.uriRepresentation().absoluteString })
                try Identity(sidecar: sidecar, environment: environment).goBack(to: known, state)
                try nameForgottenObjects(context, touched, known)
                try rememberPresentState(context, touched)
            }
            try sidecar.save()
        }
    }

    /// Each application after the captured place is one that the sidecar lists, or that of its journal.
    private func refuseUnknownApplications(_ history: AppHistory, _ state: StateRow) throws {
        let known = Set((state.adopted + [state.journal?.id].compactMap { $0 }).map(AppHistory.author))
        let later = try history.transactions(after: state.places.last, .transactionsOnly)
        let isUnknown = later.contains { !$0.isOfApp && !known.contains($0.author ?? "") }
        if isUnknown { throw SyncFailure.unknownStore }
    }

    /// Gives new names to objects that the store has again, and that lost their names with their deletion.
    ///
    /// The server has no record of such a name, so that the next pull, which is one of everything, removes the object.
    /// One that the app changed since the restoration is captured as an insertion instead: the change is newer.
    private func nameForgottenObjects(
        _ context: NSManagedObjectContext, _ touched: Set<String>, _ place: CapturedPlace
    ) throws {
        let names = NameTable(sidecar)
        let uris = try objectIDs(context).map { $0.uriRepresentation().absoluteString }
        try names.load(uris: uris)
        for uri in uris where !touched.contains(uri) {
            if try names.row(uri: uri) == nil { names.insert(environment.makeID(), uri: uri, number: place.number) }
        }
    }

    /// The ids of all objects of the entities that travel.
    func objectIDs(_ context: NSManagedObjectContext) throws -> [NSManagedObjectID] {
        try model.entities.keys.sorted().flatMap { name in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: name)
            request.resultType = .managedObjectIDResultType
            request.includesSubentities = false
            return try context.fetch(request)
        }
    }

    /// Makes the members and counters that the device last sent those of the restored store.
    ///
    /// An object that the app changed since the restoration has other members already: they count as added, and
    /// nothing as removed; its counters' differences since then are not known.
    func rememberPresentState(_ context: NSManagedObjectContext, _ touched: Set<String>) throws {
        let names = NameTable(sidecar)
        let rows = try names.all()
        for row in rows {
            guard let object = try object(row, context), let entity = model.entity(of: object) else { continue }
            var known = KnownState(outside: row.known.outside, unknown: row.known.unknown)
            for key in entity.counters.keys {
                known.counters[key] = (object.value(forKey: key) as? NSNumber)?.int64Value ?? 0
            }
            if !touched.contains(row.uri) {
                for key in entity.members.keys {
                    known.members[key] = try object.syncMembers(key).compactMap {
                        try names.row(uri: $0.objectID.uriRepresentation().absoluteString)?.name
                    }
                }
                known.orders = row.known.orders
            }
            row.known = known
        }
    }
}
