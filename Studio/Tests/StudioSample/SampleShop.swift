// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The work of another program: a shop with authors and books.

public import CoreData
import Foundation

/// Makes and changes stores of a small shop.
public enum SampleShop {
    /// A picture of one pixel.
    public static let picture =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")
        ?? Data()

    /// Opens the store at a place, or makes it; calls the body with a context; saves.
    public static func edit(_ url: URL, _ body: (NSManagedObjectContext) throws -> Void) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.undoManager = nil
        context.transactionAuthor = "shop"
        try context.performAndWait {
            try body(context)
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Books with the numbers of their titles as pages.
    public static func fill(_ context: NSManagedObjectContext, titles: some Sequence<String>, author name: String)
        throws
    {
        var author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
        author.setValue(name, forKey: "name")
        for (place, title) in titles.enumerated() {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(title, forKey: "title")
            book.setValue(place % 5000 + 1, forKey: "pages")
            book.setValue(author, forKey: "author")
            if place == 0 {
                book.setValue(picture, forKey: "cover")
                book.setValue(Data(#"{"colour": "sand", "parts": [1, 2]}"#.utf8), forKey: "facts")
                book.setValue(URL(string: "https://example.org/dune"), forKey: "page")
                book.setValue(Date(timeIntervalSinceReferenceDate: 700_000_000), forKey: "added")
            }
            guard place % 20_000 == 19_999 else { continue }
            try context.save()
            let id = author.objectID
            context.reset()
            author = context.object(with: id)
        }
    }
}
