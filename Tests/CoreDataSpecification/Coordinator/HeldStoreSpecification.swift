// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the behaviour of a store that a program retains longer than its stack.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("A store that is held longer than its stack") struct HeldStoreSpecification {
    /// The retained objects of a store and its context, after the stack was released.
    private struct Left {
        var store: NSPersistentStore?
        var book: NSManagedObject?
        weak var model: NSManagedObjectModel?
    }

    private func leave(_ kind: StoreKind, in folder: URL) throws -> Left {
        let model = BookshopModel.make()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: kind.place(folder.appending(path: "store")), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let author = Author(context: context)
        author.name = "An author with a name that no row has room for"
        let books = (0..<100).map { number in
            let book = Book(context: context)
            book.title = "A book with a title that no row has room for, number \(number)"
            book.setValue(Decimal(number), forKey: "price")
            book.setValue(author, forKey: "author")
            return book
        }
        try context.save()
        return Left(store: store, book: books[7], model: model)
    }

    @Test("its rows go with it, and those of objects with them, after the model", arguments: StoreKind.all)
    func rows(kind: StoreKind) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var left = try leave(kind, in: folder)
        weak let store = left.store
        #expect(store != nil)
        #expect(left.model == nil)
        // Caches of a released model are cleared when later models are cached.
        for _ in 0..<20 { _ = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make()) }
        left.store = nil
        #expect(store == nil)
        #expect(left.book?.managedObjectContext == nil)
        #expect(
            left.book?.value(forKey: "title") as? String == "A book with a title that no row has room for, number 7")
        left.book = nil
    }
}
