// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Uniqueness constraints with a relationship, in a store that only lists its records.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Unique links in incremental stores") struct IncrementalUniquenessTests {
    /// Proves: C23
    @Test("two books of one author with one title are a conflict, with other records and among new objects")
    func titlesOfAuthors() throws {
        NSPersistentStoreCoordinator.registerStoreClass(ShelfStore.self, forStoreType: ShelfStore.storeType)
        let model = BookshopModel.make()
        model.entitiesByName["Book"]?.uniquenessConstraints = [["title", "author"]]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: ShelfStore.storeType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        func add(_ title: String, by author: Author) -> Book {
            let book = Book(context: context)
            book.title = title
            book.author = author
            return book
        }
        let authors = ["Ann", "Bob"].map { name in
            let author = Author(context: context)
            author.name = name
            return author
        }
        let first = add("Poems", by: authors[0])
        _ = add("Poems", by: authors[1])
        try context.save()
        let rival = add("Poems", by: authors[0])
        let error = try #require(context.saveFailure())
        #expect(error.code == NSManagedObjectConstraintMergeError)
        let conflict = (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.first
        #expect(conflict?.databaseObject === first)
        rival.title = "Letters"
        try context.save()
        #expect(try context.count(for: Book.request()) == 3)
    }
}
