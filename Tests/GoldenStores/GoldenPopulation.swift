// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The objects of the golden stores, and the changes that tests make to them. Neither ever changes.

public import CoreData
import Foundation

public enum GoldenPopulation {
    /// Inserts objects and saves; then changes some and saves again, so that a history has updates and deletions.
    ///
    /// - Parameter hasLargeData: whether a book has data that SQLite stores keep in a file.
    public static func fill(_ context: NSManagedObjectContext, hasLargeData: Bool) throws {
        func new(_ entity: String, _ key: String, _ name: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(name, forKey: key)
            return object
        }
        context.transactionAuthor = "golden"
        let publishers = ["Ace", "Élan", "Zodiac"].map { new("Publisher", "name", $0) }
        let tags = ["blue", "old", "rare"].map { new("Tag", "name", $0) }
        let titles = ["Dune", "Éclair", "Straße \"4\"", "A\nB", "Emma", "Ulysses", "Persuasion", "日本"]
        let books = titles.enumerated().map { number, title in
            let book = new(number % 3 == 2 ? "Atlas" : "Book", "title", title)
            setValues(of: book, number)
            book.setValue(publishers[number % 2], forKey: "publisher")
            book.setValue(NSSet(array: Array(tags.prefix(number % 4))), forKey: "tags")
            let chapters = (0..<number % 3).map { new("Chapter", "title", "\(title), \(3 - $0)") }
            book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
            return book
        }
        books[0].setValue(books[5], forKey: "sequel")
        if hasLargeData { books[1].setValue(Data(repeating: 7, count: 120_000), forKey: "cover") }
        let series = new("Series", "name", "all")
        series.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
        _ = new("Series", "name", "none")
        let leaving = new("Tag", "name", "leaving")
        try context.save()
        books[3].setValue(999, forKey: "pages")
        books[4].setValue(publishers[2], forKey: "publisher")
        context.delete(leaving)
        try context.save()
    }

    private static func setValues(of book: NSManagedObject, _ number: Int) {
        if number == 6 { return }  // all other values are nil
        let sign = number % 2 == 0 ? 1 : -1
        book.setValue(100 * number, forKey: "pages")
        book.setValue(sign * number, forKey: "shelf")
        book.setValue(Int64(sign) << (40 + Int64(number)), forKey: "sold")
        book.setValue(Decimal(number * 1999) / 100, forKey: "price")
        book.setValue(Double(number) / 3, forKey: "rating")
        book.setValue(Float(number) / 4, forKey: "weight")
        book.setValue(number % 2 == 0, forKey: "isPrinted")
        book.setValue(Date(timeIntervalSinceReferenceDate: Double(sign * number) * 10_000_000.5), forKey: "released")
        book.setValue(Data([0, 255, UInt8(number)]), forKey: "mark")
        book.setValue(Data(repeating: UInt8(number), count: 40), forKey: "cover")
        book.setValue(UUID(uuidString: "00000000-0000-4000-8000-00000000000\(number)"), forKey: "uuid")
        book.setValue(URL(string: "https://example.org/\(number)"), forKey: "page")
        book.setValue(["a", "\(number)"] as NSArray, forKey: "words")
        book.setValue(["width": Double(number), "height": 2.5], forKey: "size")
        if book.entity.name == "Atlas" { book.setValue(number * 1000, forKey: "scale") }
    }

    /// The work that each later version does with each golden store: an insertion, changes of values and of links of
    /// each form, a deletion with a cascade.
    public static func change(_ context: NSManagedObjectContext) throws {
        func object(_ entity: String, _ key: String, _ name: String) throws -> NSManagedObject? {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "%K == %@", key, name)
            return try context.fetch(request).first
        }
        let book = NSEntityDescription.insertNewObject(forEntityName: "Atlas", into: context)
        book.setValue("New", forKey: "title")
        book.setValue(["width": 1.0], forKey: "size")
        book.setValue(try object("Publisher", "name", "Zodiac"), forKey: "publisher")
        let emma = try object("Book", "title", "Emma")
        emma?.setValue(-1, forKey: "pages")
        emma?.setValue(nil, forKey: "cover")
        if let rare = try object("Tag", "name", "rare") { emma?.setValue(NSSet(object: rare), forKey: "tags") }
        try object("Series", "name", "all")?.mutableOrderedSetValue(forKey: "books").insert(book, at: 2)
        if let last = try object("Book", "title", "Ulysses") {
            let chapters = last.mutableOrderedSetValue(forKey: "chapters")
            if chapters.count > 1 { chapters.exchangeObject(at: 0, withObjectAt: 1) }
        }
        if let gone = try object("Book", "title", "日本") { context.delete(gone) }
        try context.save()
    }
}
