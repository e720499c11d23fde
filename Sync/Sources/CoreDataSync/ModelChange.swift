// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps the sidecar true after the app's model changed (V6, V7).
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

extension SyncEngine {
    /// Takes over the present version of the app's model: renamed entities and properties get their names, and the next
    /// pull is one of everything, because the server may have values of new properties.
    func adaptToModel() throws {
        try sidecar.perform {
            let state = try sidecar.state()
            guard state.schema != model.schema else { return }
            if let former = state.schema {
                let names = SyncNames(coordinator.managedObjectModel)
                let renamed = names.entities.filter { former.entities[$0.key] != nil }
                for row in try NameTable(sidecar).all() { rename(row, renamed, names) }
                for row in try sidecar.batches() { try rename(row, names) }
                for row in try sidecar.refusals() {
                    let change: SyncChange? = row.decoded("change")
                    if let change { row.encode(names.present(change), "change") }
                }
                state.after = nil
                state.isAnew = true
            }
            state.schema = model.schema
            try sidecar.save()
        }
    }

    private func rename(_ row: NameRow, _ entities: [String: String], _ names: SyncNames) {
        let parts = row.uri.split(separator: "/")
        guard parts.count >= 2 else { return }
        let former = String(parts[parts.count - 2])
        let entity = entities[former] ?? former
        if entity != former { row.uri = SyncNames.uri(row.uri, entity: entity) }
        guard names.properties[entity] != nil else { return }
        var known = row.known
        known.members = names.present(known.members, of: entity)
        known.orders = names.present(known.orders, of: entity)
        known.counters = names.present(known.counters, of: entity)
        known.outside = known.outside.map { keys in
            names.present(Dictionary(keys.map { ($0, true) }) { first, _ in first }, of: entity).keys.sorted()
        }
        row.known = known
    }

    /// A waiting batch keeps its number and its id, so the server knows it if it has taken it.
    private func rename(_ row: BatchRow, _ names: SyncNames) throws {
        // One that cannot be read is captured again, with the present names.
        guard var push = try? row.push() else { return }
        push.schema = model.schema
        push.changes = push.changes.map(names.present)
        row.set(push)
    }

    /// Starts anew with a store that was migrated by objects: they have new ids, and the history began again.
    ///
    /// Objects get the value of a unique UUID attribute as their name, otherwise a random one. The next pull, which is
    /// one of everything, finds objects by unique values, and replaces the others, so that none is there twice.
    func adoptMigratedStore(_ state: StateRow, _ context: NSManagedObjectContext) throws {
        let names = NameTable(sidecar)
        for row in try names.all() { names.remove(row) }
        let former = SyncNames(coordinator.managedObjectModel)
        for row in try sidecar.batches() { try rename(row, former) }
        try sidecar.save()
        let last = try AppHistory(context: context).last(after: nil)
        let place = last.map(CapturedPlace.init) ?? .beginning
        for id in try objectIDs(context) {
            let object = try context.existingObject(with: id)
            let own = model.entity(of: object)?.nameAttribute.flatMap { object.value(forKey: $0) as? UUID }
            let isFree = try own.map { try names.row(name: $0) == nil } ?? false
            names.insert(
                isFree ? own ?? environment.makeID() : environment.makeID(),
                uri: id.uriRepresentation().absoluteString, number: place.number)
        }
        try rememberPresentState(context, [])
        state.places = [place]
        state.journal = nil
        state.adopted = []
        state.removals = []
        state.after = nil
        state.isAnew = true
        state.revision = 0
        state.schema = model.schema
        try sidecar.save()
    }
}
