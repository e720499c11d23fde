// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The program of the README: a model, a save and a fetch.

// snippet: program
import CoreDataModeling

@ManagedObject final class Author: NSManagedObject {
    @Attribute(.unique) var name: String = ""
    @Relationship(inverse: "author", deleteRule: .cascade) var books: Set<Book>
}
@ManagedObject final class Book: NSManagedObject {
    var title: String = ""
    var year: Int = 0
    @Relationship(inverse: "books") var author: Author?
}
let model = try NSManagedObjectModel(classes: [Author.self, Book.self])
let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
try await container.loadPersistentStores()

try await container.performBackgroundTask { context in
    let (author, book) = (Author(context: context), Book(context: context))
    author.name = "Frank Herbert"
    (book.title, book.year, book.author) = ("Dune", 1965, author)
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump  // one author, however often this runs
    try context.save()
    let request = Book.fetchRequest()
    request.predicate = NSPredicate(format: "author.name BEGINSWITH %@ AND year > 1950", "Frank")
    for book in try context.fetch(request) { print(book.title, book.author?.name ?? "") }
}
// end
