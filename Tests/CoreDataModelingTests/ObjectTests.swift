// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

import CoreDataModeling
import Testing

@Suite("Managed classes", .serialized) struct ObjectTests {
    static let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType]

    private func makeBook(in context: NSManagedObjectContext) -> Book {
        let book = Book(context: context)
        let branch = Branch(context: context)
        branch.town = "Ulm"
        book.title = "Emma"
        book.source = URL(string: "https://example.org/emma")
        book.text = Data([1, 2])
        book.firstGenre = .poetry
        book.places = [Place(shelf: 2, row: "b")]
        book.branches = [branch]
        return book
    }

    @Test("begin with their defaults, and read as empty where they are never nil", arguments: types)
    func defaults(type: String) throws {
        let folder = try Folder()
        let book = Book(context: try Library.context(type, at: folder.url.appending(path: "store")))
        #expect(book.title == "" && book.published == nil && book.pages == 0)
        #expect(book.shop == "main" && book.weight == 0.5 && book.price == Decimal(string: "9.95"))
        #expect(book.rating == nil && book.size == nil && !book.isLent && book.copies == 1)
        #expect(book.text == Data() && book.cover == nil && book.id == nil)
        #expect(book.genre == .novel && book.secondGenre == nil && book.firstGenre == .novel)
        #expect(book.condition == .good && book.marks == [])
        #expect(book.places == [] && book.home == Place(shelf: 1, row: "a") && book.words == nil)
        #expect(book.author == nil && book.chapters == [] && book.tags == [])
        #expect(book.readings == 0 && book.label == " (0)" && Book.shelfLife == 50)
    }

    @Test("keep values of every type over a save", arguments: types) func values(type: String) throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "store")
        let context = try Library.context(type, at: url)
        let book = makeBook(in: context)
        book.published = Date(timeIntervalSinceReferenceDate: 1000)
        book.pages = .max
        book.isbn = "1"
        book.number = .min
        book.size = -5
        book.weight = 1.25
        book.rating = 2.5
        book.price = Decimal(string: "12345678901234567890.125")!  // a literal that is one
        book.isLent = true
        book.id = UUID(uuidString: "6FA459EA-EE8A-3CA4-894E-DB77E160355E")
        book.cover = Data(repeating: 7, count: 200_000)
        book.genre = .essay
        book.secondGenre = .poetry
        book.condition = .worn
        book.marks = [.signed, .lent]
        book.home = Place(shelf: 9, row: "z")
        book.words = ["a", "b"]
        book.readings = 3
        try context.save()
        context.reset()
        let found = try #require(try context.fetch(Book.fetchRequest()).first)
        #expect(found.title == "Emma" && found.published == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(found.pages == .max && found.isbn == "1" && found.number == .min && found.size == -5)
        #expect(found.weight == 1.25 && found.rating == 2.5 && found.isLent)
        #expect(found.id == UUID(uuidString: "6FA459EA-EE8A-3CA4-894E-DB77E160355E"))
        #expect(found.cover?.count == 200_000 && found.text == Data([1, 2]))
        #expect(found.source == URL(string: "https://example.org/emma"))
        #expect(found.genre == .essay && found.secondGenre == .poetry && found.firstGenre == .poetry)
        #expect(found.condition == .worn && found.marks == [.signed, .lent])
        #expect(found.places == [Place(shelf: 2, row: "b")] && found.home == Place(shelf: 9, row: "z"))
        #expect(found.words == ["a", "b"] && found.readings == 0)
        #expect(found.branches.map(\.town) == ["Ulm"])
    }

    @Test("keep both ends of relationships in step", arguments: types) func relationships(type: String) throws {
        let folder = try Folder()
        let context = try Library.context(type, at: folder.url.appending(path: "store"))
        let book = makeBook(in: context)
        let author = Author(context: context)
        author.name = "Austen"
        book.author = author
        #expect(author.books == [book])
        let chapters = (1...3).map { number in
            let chapter = Chapter(context: context)
            chapter.heading = "\(number)"
            return chapter
        }
        book.chapters = [chapters[2], chapters[0]]
        book.insertIntoChapters(chapters[1], at: 1)
        #expect(book.chapters.map(\.heading) == ["3", "2", "1"] && chapters[1].book === book)
        book.removeFromChapters(at: 0)
        #expect(book.chapters == [chapters[1], chapters[0]])
        let tag = Tag(context: context)
        tag.name = "classic"
        book.addToTags(tag)
        #expect(tag.books == [book] && book.tags == [tag])
        book.removeFromTags([tag])
        book.tags.insert(tag)
        try context.save()
        context.reset()
        let found = try #require(try context.fetch(Book.fetchRequest()).first)
        #expect(found.author?.name == "Austen" && found.tags.map(\.name) == ["classic"])
        #expect(found.chapters.map(\.heading) == ["2", "1"])
        found.author = nil
        context.delete(found)
        try context.save()
        #expect(try context.count(for: Chapter.fetchRequest()) == 1)
    }

    @Test("are found by their keys and key paths", arguments: types) func fetching(type: String) throws {
        let folder = try Folder()
        let context = try Library.context(type, at: folder.url.appending(path: "store"))
        for (number, title) in ["Emma", "Persuasion", "Lady Susan"].enumerated() {
            let book = makeBook(in: context)
            book.title = title
            book.number = number
            book.genre = number == 1 ? .essay : .novel
        }
        let magazine = Magazine(context: context)
        magazine.title = "Die Fackel"
        try context.save()
        let request = Book.fetchRequest()
        request.predicate = NSPredicate(format: "genre == %@", "novel")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.title, ascending: false)]
        #expect(try context.fetch(request).map(\.title) == ["Lady Susan", "Emma"])
        let all: NSFetchRequest<Publication> = Publication.fetchRequest()
        all.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(try context.fetch(all).map(\.title) == ["Die Fackel", "Emma", "Lady Susan", "Persuasion"])
        #expect(magazine.issue == 1 && magazine.value(forKey: "title") as? String == "Die Fackel")
    }

    @Test("refuse to be saved without required values", arguments: types) func validation(type: String) throws {
        let folder = try Folder()
        let context = try Library.context(type, at: folder.url.appending(path: "store"))
        let book = makeBook(in: context)
        book.source = nil
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .validationMissingMandatoryProperty)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "source")
    }

    @Test("read raw values that an enumeration does not have as the default, the first case, or nil")
    func unknownRawValues() throws {
        let folder = try Folder()
        let book = makeBook(in: try Library.context(NSInMemoryStoreType, at: folder.url.appending(path: "store")))
        for key in ["genre", "firstGenre", "secondGenre"] { book.setValue("opera", forKey: key) }
        book.setValue(77, forKey: "condition")
        #expect(book.genre == .novel && book.firstGenre == .novel && book.secondGenre == nil)
        #expect(book.condition == .good)
    }
}
