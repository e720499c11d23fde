// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives names, stamps and revisions to the changes of the server's own code, from the history of its store.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

extension ServiceCore {
    /// Folds the transactions of other authors since the last fold, in one save.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func fold(_ context: NSManagedObjectContext) throws -> Bool {
        context.reset()
        guard let state = try StateRow.existing(in: context), state.foldedNumber >= 0 else {
            try compare(context)
            return true
        }
        if try adaptToModel(state, context) { return try fold(context) || true }
        var start = seen
        // The token is read only if it is needed: its archive is slow to read.
        if start == nil || state.foldedNumber > (start?.number ?? 0), let folded = state.folded {
            start = HistoryPlace(number: state.foldedNumber, token: folded)
        }
        let transactions: [NSPersistentHistoryTransaction]
        do { transactions = try self.transactions(after: start, context, .transactionsOnly) } catch {
            guard SaveFailure.isExpiredHistory(error) else { throw error }
            seen = nil
            try compare(context)
            return true
        }
        guard let last = transactions.last else { return false }
        let place = HistoryPlace(number: last.transactionNumber, token: last.token)
        guard transactions.contains(where: \.isForeign) else {
            seen = place
            if place.number >= acknowledged + Self.acknowledgedInterval { acknowledge() }
            return false
        }
        let foreign = try self.transactions(after: start, context, .transactionsAndChanges)
            .filter { $0.isForeign && $0.transactionNumber <= last.transactionNumber }
        try save(Fold(foreign), context, place)
        return true
    }

    /// Lets a retention delete the folded transactions. A failure only keeps the history longer.
    func acknowledge() {
        guard let seen else { return }
        acknowledged = seen.number
        try? container.persistentStoreCoordinator.acknowledgeHistory(upTo: seen.token, as: SyncService.historyReader)
    }

    /// Whether other authors have saved since the last fold.
    func hasForeignTransactions(_ context: NSManagedObjectContext) throws -> Bool {
        try transactions(after: seen, context, .transactionsOnly).contains(where: \.isForeign)
    }

    func transactions(
        after place: HistoryPlace?, _ context: NSManagedObjectContext, _ type: NSPersistentHistoryResultType
    ) throws -> [NSPersistentHistoryTransaction] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: place?.token)
        request.resultType = type
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }

    private func save(_ fold: Fold, _ context: NSManagedObjectContext, _ place: HistoryPlace?) throws {
        let state = try state(context)
        let table = RecordTable(context)
        let consequences = consequences(context, table, state, cause: stamp(after: [], state))
        let living = fold.kinds.filter { $0.value != .delete }.map(\.key)
        let objects = try table.objects(living, prefetching: model)
        try table.load(objects: objects.values)
        for (id, kind) in fold.kinds.sorted(by: { $0.key.uriRepresentation().path < $1.key.uriRepresentation().path }) {
            guard let entity = id.entity.name.flatMap({ model.entities[$0] }) else { continue }
            if kind == .delete {
                try consequences.bury(id)
            } else if let object = objects[id] {
                try consequences.note(object, entity, keys: fold.properties[id])
            }
        }
        try number(context) { state in
            try consequences.complete()
            state.schema = versions.digest
            if let place {
                state.folded = place.token
                state.foldedNumber = place.number
            }
        }
        seen = place ?? seen
        acknowledge()
        context.reset()
    }
}

extension NSPersistentHistoryTransaction {
    /// Whether sync did not write the transaction.
    var isForeign: Bool { !(author?.hasPrefix(ServiceCore.authorPrefix) ?? false) }
}

/// The outcome of several transactions for each object.
struct Fold {
    var kinds: [NSManagedObjectID: NSPersistentHistoryChangeType] = [:]
    /// The changed properties of updated objects; nil means all.
    var properties: [NSManagedObjectID: Set<String>] = [:]

    init(_ transactions: [NSPersistentHistoryTransaction]) {
        for change in transactions.flatMap({ $0.changes ?? [] }) { add(change) }
    }

    private mutating func add(_ change: NSPersistentHistoryChange) {
        let id = change.changedObjectID
        switch (kinds[id], change.changeType) {
        case (_, .delete):
            kinds[id] = .delete
            properties[id] = nil
        case (nil, .update):
            kinds[id] = .update
            properties[id] = change.updatedProperties.map { Set($0.map(\.name)) }
        case (.update?, .update):
            let names = change.updatedProperties.map { Set($0.map(\.name)) }
            properties[id] = properties[id].flatMap { known in names.map { known.union($0) } }
        case (_, .insert):
            kinds[id] = .insert
            properties[id] = nil
        default: break
        }
    }
}
