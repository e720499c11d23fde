// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model classes of the suites.

import SwiftData

@Model
final class Author {
    @Attribute(.unique) var name: String
    var born: Date?
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

    init(name: String, born: Date? = nil) {
        self.name = name
        self.born = born
    }
}

enum Genre: String, Codable, CaseIterable {
    case novel, essay, poem
}

struct Address: Codable, Equatable {
    var city: String
    var zip: Int?
}

@Model
final class Book {
    #Index<Book>([\.title], [\.title, \.pages])
    var title: String
    var pages: Int = 0
    var genre: Genre?
    var words: [String] = []
    var address: Address?
    var author: Author?
    var tags: [Tag]
    @Transient var isOpen = false
    @Attribute(.ephemeral) var note: String?

    init(title: String, pages: Int = 0, author: Author? = nil, tags: [Tag] = []) {
        self.title = title
        self.pages = pages
        self.author = author
        self.tags = tags
    }
}

@Model
class Tag {
    var name: String
    var books: [Book] = []

    init(_ name: String) { self.name = name }
}

@Model
class Animal {
    var name: String
    var legs: Int = 4 {
        didSet { changes.append(oldValue) }
    }
    @Transient var changes: [Int] = []

    init(name: String) { self.name = name }
}

@Model
final class Dog: Animal {
    var breed: String
    var isGood: Bool = true

    init(name: String, breed: String) {
        self.breed = breed
        super.init(name: name)
    }
}
