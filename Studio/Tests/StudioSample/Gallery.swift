// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A shop with real books, for the pictures of the documentation.

public import CoreData
import Foundation

extension SampleShop {
    private static let shelf: [(author: String, books: [(title: String, pages: Int, subjects: [String])])] = [
        ("Jane Austen", [("Pride and Prejudice", 432, ["romance"]), ("Emma", 474, ["romance", "comedy"])]),
        ("Mary Shelley", [("Frankenstein", 280, ["horror", "science"])]),
        (
            "Jules Verne",
            [
                ("Twenty Thousand Leagues under the Seas", 416, ["adventure", "sea"]),
                ("Around the World in Eighty Days", 252, ["adventure"]),
            ]
        ),
        ("H. G. Wells", [("The Time Machine", 118, ["science"]), ("The War of the Worlds", 192, ["science"])]),
        ("Herman Melville", [("Moby-Dick", 635, ["sea", "adventure"])]),
        ("Bram Stoker", [("Dracula", 418, ["horror"])]),
        ("Leo Tolstoy", [("Anna Karenina", 864, ["romance"]), ("War and Peace", 1225, ["history"])]),
        ("Charlotte Brontë", [("Jane Eyre", 532, ["romance"])]),
        ("Lewis Carroll", [("Alice's Adventures in Wonderland", 192, ["comedy"])]),
        ("Robert Louis Stevenson", [("Treasure Island", 292, ["sea", "adventure"])]),
        ("Selma Lagerlöf", [("Gösta Berling's Saga", 430, ["history"])]),
        ("Fyodor Dostoevsky", [("Crime and Punishment", 545, ["history"])]),
        ("Mark Twain", [("Adventures of Huckleberry Finn", 366, ["adventure", "comedy"])]),
    ]

    /// Authors, books, publishers, reviews and orders.
    public static func fillGallery(_ context: NSManagedObjectContext) throws {
        func make(_ name: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            object.setValuesForKeys(values)
            return object
        }
        let publishers = ["North Quay Press", "Lantern & Sons", "Harbour Editions"].map {
            make("Publisher", ["name": $0, "city": $0.contains("Quay") ? "Bristol" : "London"])
        }
        let customers = ["Ada", "Grace", "Linus"].map {
            make("Customer", ["name": $0, "email": "\($0.lowercased())@example.org", "number": UUID()])
        }
        var subjects: [String: NSManagedObject] = [:]
        var place = 0
        for (name, books) in shelf {
            let author = make("Author", ["name": name])
            for (title, pages, names) in books {
                place += 1
                for name in names where subjects[name] == nil { subjects[name] = make("Subject", ["name": name]) }
                let book = make(
                    "Book",
                    [
                        "title": title, "pages": pages, "author": author, "publisher": publishers[place % 3],
                        "price": NSDecimalNumber(value: 4 + Double(place * 37 % 90) / 5),
                        "added": Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(place) * 864_123),
                        "cover": Cover.png(hue: Double(place * 5 % 18) / 18), "tags": names,
                        "facts": Data(#"{"binding": "cloth", "printings": [1, \#(place + 1)]}"#.utf8),
                        "size": ["width": 12.5, "height": 19.0 + Double(place % 4), "unit": "cm"],
                        "page": URL(string: "https://example.org/books/\(place)") as Any,
                        "subjects": NSSet(array: names.compactMap { subjects[$0] }),
                    ])
                guard place % 3 == 0 else { continue }
                let customer = customers[place % 2]
                _ = make(
                    "Review", ["stars": 3 + place % 3, "text": "Read it twice.", "book": book, "customer": customer])
                let order = make("Order", ["number": 1000 + place, "customer": customer])
                _ = make("OrderLine", ["quantity": 1 + place % 2, "order": order, "book": book])
            }
        }
    }
}
