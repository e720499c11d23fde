// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States what stores that are read only, or were opened before there was a history, read of it; and large data in it.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Histories of stores that others write") struct BegunHistorySpecification {
    /// Proves: H1, H8
    @Test(
        "a history that another coordinator begins is read by those that opened the store before it",
        arguments: RecordedShop.sharedKinds.filter { !$0.isOnServer })
    func begunByOthers(kind: StoreKind) throws {
        let stack = try Stack(kind, RecordedShop.model())
        Book(context: stack.context).title = "Dune"
        try stack.context.save()
        let (coordinator, context) = try stack.secondCoordinator()
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        #expect(try context.transactions(all).isEmpty)
        let (writer, writing) = try stack.secondCoordinator([NSPersistentHistoryTrackingKey: true])
        Book(context: writing).title = "Emma"
        try writing.save()
        #expect(try context.transactions(all).count == 1)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
        for each in [coordinator, writer] { for store in each.persistentStores { try each.remove(store) } }
    }

    /// Proves: H1, H8
    @Test(
        "a history that another coordinator begins is read by a store that was opened for reading before it",
        arguments: RecordedShop.sharedKinds.filter { !$0.isOnServer }, [true, false])
    func begunBesideReader(kind: StoreKind, hasRead: Bool) throws {
        let stack = try Stack(kind, RecordedShop.model())
        Book(context: stack.context).title = "Dune"
        try stack.context.save()
        let (coordinator, context) = try stack.secondCoordinator([NSReadOnlyPersistentStoreOption: true])
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        if hasRead {
            #expect(try context.transactions(all).isEmpty)
            #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        }
        let (writer, writing) = try stack.secondCoordinator([NSPersistentHistoryTrackingKey: true])
        Book(context: writing).title = "Emma"
        try writing.save()
        #expect(try context.transactions(all).count == 1)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
        Book(context: writing).title = "Ubik"
        try writing.save()
        #expect(try context.transactions(all).count == 2)
        for each in [coordinator, writer] { for store in each.persistentStores { try each.remove(store) } }
    }

    /// Proves: H1
    @Test(
        "a store that is opened for reading has the history that was recorded, and takes no change of it",
        arguments: RecordedShop.kinds.filter(\.isPersistent))
    func readOnly(kind: StoreKind) throws {
        let shop = try RecordedShop(kind)
        let book = try shop.saveBook("Dune", author: "one")
        shop.context.delete(book)
        try shop.context.save()
        let token = try #require(shop.token)
        try shop.stack.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try shop.transactions().count == 2)
        #expect(try shop.lastChanges() == ["delete Book"])
        let tombstone = try #require(try shop.transactions().last?.changes?.first?.tombstone)
        #expect(tombstone["title"] as? String == "Dune")
        let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: token)
        _ = try? shop.context.execute(deletion)
        #expect(try shop.transactions().count == 2)
    }

    /// Proves: H26
    @Test("a tombstone has large data as well, whose file goes with the row", arguments: RecordedShop.kinds)
    func largeData(kind: StoreKind) throws {
        let model = MuseumModel.make()
        model.entitiesByName["Exhibit"]?.attributesByName["scan"]?.preservesValueInHistoryOnDeletion = true
        let stack = try Stack(kind, model, options: [NSPersistentHistoryTrackingKey: true])
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let exhibit = stack.insert("Exhibit")
        exhibit.setValuesForKeys(["name": "vase", "scan": data])
        let second = stack.insert("Exhibit")
        second.setValuesForKeys(["name": "pot", "scan": data])
        try stack.context.save()
        stack.context.delete(exhibit)
        try stack.context.save()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Exhibit")
        try stack.context.execute(NSBatchDeleteRequest(fetchRequest: request))
        let all = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let deletions = try stack.context.transactions(all).flatMap { $0.changes ?? [] }
            .filter { $0.changeType == .delete }
        #expect(deletions.map { $0.tombstone?["scan"] as? Data == data } == [true, true])
    }
}
