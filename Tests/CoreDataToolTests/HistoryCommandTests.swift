// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The command that prints and shortens histories.

import CoreData
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("The history command") struct HistoryCommandTests {
    /// A garage with changes of its cars in a history.
    private func garage() throws -> Garage {
        let garage = try Garage()
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try #require(NSManagedObjectModel(contentsOf: garage.model)))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: garage.url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.transactionAuthor = "mechanic"
            let request = NSFetchRequest<NSManagedObject>(entityName: "Car")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let cars = try context.fetch(request)
            cars[0].setValue(Int64(9), forKey: "seats")
            try context.save()
            context.delete(cars[1])
            try context.save()
        }
        try coordinator.remove(store)
        return garage
    }

    @Test("a listing has a row for each change") func listing() throws {
        let garage = try garage()
        var text = ""
        let store = try OpenedStore(garage.url)
        try HistoryListing(store, limit: 0).run(into: ResultText(.csv) { text += $0 })
        let lines = text.split(whereSeparator: \.isNewline)
        #expect(lines.first == "transaction,time,author,context,program,change,object,properties")
        #expect(
            lines.contains { $0.hasPrefix("1,") && $0.contains(",mechanic,") && $0.hasSuffix(",update,Car/1,seats") })
        #expect(lines.contains { $0.hasPrefix("2,") && $0.contains(",delete,Car/2,") })
        text = ""
        try HistoryListing(store, limit: 1).run(into: ResultText(.ndjson) { text += $0 })
        #expect(text.split(whereSeparator: \.isNewline).count == 1)
    }

    @Test("a purge deletes older transactions") func purge() throws {
        let garage = try garage()
        let store = try OpenedStore(garage.url, isWritable: true)
        #expect(try HistoryListing.purge(store, before: .distantPast) == 0)
        #expect(try HistoryListing.purge(store, before: .distantFuture) == 2)
    }

    @Test("a store without a history says so") func none() throws {
        let garage = try Garage()
        let listing = HistoryListing(try OpenedStore(garage.url), limit: 0)
        #expect(throws: ToolError.self) { try listing.run(into: ResultText(.csv) { _ in }) }
    }
}
