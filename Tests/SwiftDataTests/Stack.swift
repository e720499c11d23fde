// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Containers for the suites.

import Foundation
import SwiftData
import Testing

enum Stack {
    /// A container in memory with all sample classes.
    static func memory() throws -> ModelContainer {
        try ModelContainer(
            for: Schema([Author.self, Animal.self, Dog.self]),
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// A file in a folder that the caller removes.
    static func file() -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "SwiftDataTests-\(UUID().uuidString)")
        return folder.appending(path: "library.store")
    }

    static func remove(_ file: URL) { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }

    /// Three books of two authors, saved.
    static func library() throws -> ModelContext {
        let context = ModelContext(try memory())
        let herbert = Author(name: "Herbert", born: Date(timeIntervalSinceReferenceDate: 0))
        let eco = Author(name: "Eco")
        let dune = Book(title: "Dune", pages: 412, author: herbert, tags: [Tag("desert")])
        dune.genre = .novel
        dune.address = Address(city: "Arrakeen", zip: 7)
        let rose = Book(title: "The Rose", pages: 500, author: eco)
        rose.genre = .novel
        let essay = Book(title: "Lists", pages: 90, author: eco)
        essay.genre = .essay
        for book in [dune, rose, essay] { context.insert(book) }
        try context.save()
        return context
    }
}

extension Testing.Tag {
    /// Apple's behaviour is not documented there.
    @Testing.Tag static var assumed: Self
}
