// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store of a round: registers, each with lists of numbers and a counter.

import CoreData
import CoreDataTestSupport
import Foundation

/// A coordinator on the store of a round.
final class IsolationStore: @unchecked Sendable {  // a coordinator is used from several threads
    static let keys = 400
    /// The properties with lists; all uses but one have only the first one.
    static let lists = 8

    let coordinator: NSPersistentStoreCoordinator
    private let url: URL?
    private let type: String

    /// - Parameter url: nil for a store in memory.
    init(_ setup: String, _ url: URL?) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        self.url = url
        var options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 60]
        switch setup {
        case "memory": type = NSInMemoryStoreType
        case "postgresql": type = StoreKind.postgresql.type
        default:
            type = NSSQLiteStoreType
            options.merge((Setup(rawValue: setup) ?? .walNormal).options) { first, _ in first }
        }
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
    }

    private static let model: NSManagedObjectModel = {
        let register = NSEntityDescription("Register")
        register.attribute("key", .integer64AttributeType, optional: false, default: 0)
        register.attribute("amount", .integer64AttributeType, optional: false, default: 0)
        for number in 0..<lists {
            register.attribute(list(number), .stringAttributeType, optional: false, default: "")
        }
        register.indexes = [
            NSFetchIndexDescription(
                name: "byKey",
                elements: [
                    NSFetchIndexElementDescription(property: register.propertiesByName["key"]!, collationType: .binary)
                ])
        ]
        return NSManagedObjectModel(register)
    }()

    static func list(_ number: Int) -> String { "list\(number)" }

    static func numbers(_ object: NSManagedObject, _ list: Int) -> [Int] {
        let text = object.value(forKey: Self.list(list)) as? String ?? ""
        return text.split(separator: ",").compactMap { Int($0) }
    }

    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Makes the registers.
    func fill() throws {
        let context = context()
        try context.performAndWait {
            for key in 0..<Self.keys {
                let register = NSEntityDescription.insertNewObject(forEntityName: "Register", into: context)
                register.setValue(key, forKey: "key")
            }
            try context.save()
        }
    }

    static func registers(_ keys: [Int], in context: NSManagedObjectContext) throws -> [Int: NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Register")
        request.predicate = NSPredicate(format: "key IN %@", keys)
        request.returnsObjectsAsFaults = false
        let pairs = try context.fetch(request).map { ($0.value(forKey: "key") as? Int ?? -1, $0) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// A transaction that reads all lists, and the sum of the counters.
    func last(client: Int, begin: UInt64) throws -> (transaction: RecordedTransaction, sum: Int) {
        let context = context()
        return try context.performAndWait {
            var transaction = RecordedTransaction(client: client, number: 0, steps: [], begin: begin)
            var sum = 0
            for (key, register) in try Self.registers(Array(0..<Self.keys), in: context) {
                for list in 0..<Self.lists {
                    let numbers = Self.numbers(register, list)
                    if !numbers.isEmpty { transaction.steps.append(.read(key: key * Self.lists + list, numbers)) }
                }
                sum += register.value(forKey: "amount") as? Int ?? 0
            }
            // A key that is empty at the end may have been written all the same.
            let known = Set(transaction.steps.map { if case .read(let key, _) = $0 { key } else { -1 } })
            for key in 0..<Self.keys * Self.lists where !known.contains(key) {
                transaction.steps.append(.read(key: key, []))
            }
            return (transaction, sum)
        }
    }

    func remove() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        if type != NSInMemoryStoreType, let url { try coordinator.destroyPersistentStore(at: url, ofType: type) }
    }
}
