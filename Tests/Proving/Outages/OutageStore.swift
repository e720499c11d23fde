// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store of a round of outages: its model, and a context.

import CoreData
import CoreDataTestSupport
import Foundation

/// Opens the store of a round. The server may be unreachable for a while.
final class OutageStore {
    static let counters = 3
    private static var options: [AnyHashable: Any] {
        [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 2,
            "NSPostgreSQLAnswerTimeoutOption": 2,
        ]
    }

    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OutageStore.model())
    private let url: URL

    init(_ url: URL) throws {
        self.url = url
        var failure: (any Error)?
        let isOpen = eventually {
            do {
                try coordinator.addPersistentStore(
                    ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: Self.options)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if !isOpen, let failure { throw failure }
        context.persistentStoreCoordinator = coordinator
    }

    private static func model() -> NSManagedObjectModel {
        let counter = NSEntityDescription("Counter")
        counter.attribute("code", .integer64AttributeType, optional: false, default: 0)
        counter.attribute("amount", .integer64AttributeType, optional: false, default: 0)
        let entry = NSEntityDescription("Entry")
        entry.attribute("name", .stringAttributeType)
        let holder = NSEntityDescription("Holder")
        holder.attribute("code", .integer64AttributeType, optional: false, default: 0)
        holder.attribute("name", .stringAttributeType)
        holder.uniquenessConstraints = [["code"]]
        let (entries, owner) = (NSRelationshipDescription(), NSRelationshipDescription())
        (entries.name, entries.destinationEntity, entries.inverseRelationship) = ("entries", entry, owner)
        (owner.name, owner.destinationEntity, owner.inverseRelationship, owner.maxCount) = (
            "counter", counter, entries, 1
        )
        counter.properties.append(entries)
        entry.properties.append(owner)
        let model = NSManagedObjectModel()
        model.entities = [counter, entry, holder]
        return model
    }

    /// Makes the objects that the members change.
    func fill() throws {
        try context.performAndWait {
            for code in 0..<Self.counters {
                NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context).setValue(
                    code, forKey: "code")
            }
            try context.save()
        }
    }

    func all(_ entity: String) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    func one(_ entity: String, _ code: Int) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "code == %d", code)
        return try context.fetch(request).first
    }

    /// The authors of the transactions in the history; that of `fill` has none.
    func authors() throws -> [String] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return (result?.result as? [NSPersistentHistoryTransaction] ?? []).compactMap(\.author)
    }

    func remove() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        try coordinator.destroyPersistentStore(at: url, ofType: StoreKind.postgresql.type)
    }
}
