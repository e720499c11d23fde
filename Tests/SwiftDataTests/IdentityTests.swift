// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifiers, subclasses, observers, uniqueness, actors.

import Foundation
import SwiftData
import Testing

@Suite("Records have names, classes and observers")
struct IdentityTests {
    /// Proves: S13, S14, S17
    @Test("An identifier from before the save finds the model after it")
    func identifiers() throws {
        let context = ModelContext(try Stack.memory())
        let tag = Tag("a")
        context.insert(tag)
        let before = tag.persistentModelID
        #expect(before.storeIdentifier == nil)
        let known: Set = [before]
        try context.save()
        let after = tag.persistentModelID
        #expect(after.storeIdentifier != nil && before == after && known.contains(after))
        #expect(context.model(for: before) === tag)
        let registered: Tag? = context.registeredModel(for: after)
        #expect(registered === tag)
    }

    /// Proves: S15
    @Test("An identifier is decoded without a container, and finds the record")
    func codable() throws {
        let context = try Stack.library()
        let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        let data = try JSONEncoder().encode(book.persistentModelID)
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
        #expect(decoded == book.persistentModelID && decoded.entityName == "Book")
        #expect(String(decoding: data, as: UTF8.self).contains("\"implementation\""))
        let elsewhere = ModelContext(context.container)
        let other: Book = try elsewhere.existingModel(for: decoded)
        #expect(other.title == book.title)
    }

    /// Proves: S9, S5, S6
    @Test("Subclasses are subentities, and observers of properties run")
    func subclasses() throws {
        let context = ModelContext(try Stack.memory())
        let dog = Dog(name: "Rex", breed: "Pug")
        #expect(dog.breed == "Pug" && dog.legs == 4 && dog.changes.isEmpty)
        dog.legs = 3
        #expect(dog.changes == [4])
        context.insert(dog)
        context.insert(Animal(name: "Tom"))
        try context.save()
        let other = ModelContext(context.container)
        let all = try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
        #expect(all.map(\.name) == ["Rex", "Tom"])
        let again = try #require(all.first as? Dog)
        #expect(again.breed == "Pug" && again.legs == 3 && again.isGood && again.changes.isEmpty)
        #expect(try other.fetch(FetchDescriptor<Animal>(predicate: #Predicate { $0 is Dog })).map(\.name) == ["Rex"])
        #expect(
            try other.fetch(FetchDescriptor<Dog>(predicate: #Predicate { $0.name == "Rex" && $0.breed == "Pug" })).count
                == 1)
    }

    /// Proves: S60
    @Test("A new model with a unique value updates the record that has it")
    func upsert() throws {
        let context = try Stack.library()
        let born = Date(timeIntervalSinceReferenceDate: 99)
        context.insert(Author(name: "Eco", born: born))
        try context.save()
        let other = ModelContext(context.container)
        let found = try other.fetch(
            FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Eco" }))
        #expect(found.count == 1 && found.first?.born == born)
    }

    /// Proves: S11
    @Test("Changes are observed")
    func observation() throws {
        let context = try Stack.library()
        let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        let flag = Flag()
        withObservationTracking {
            _ = book.title
        } onChange: {
            flag.raise()
        }
        book.title = "Other"
        #expect(flag.isRaised)
    }

    /// Proves: S83, S84, S87
    @Test("Actors have separate contexts, and see one another's saves")
    func actors() async throws {
        let container = try Stack.memory()
        let keepers = (0..<8).map { _ in Keeper(modelContainer: container) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for keeper in keepers { group.addTask { for n in 0..<5 { _ = try await keeper.add("\(n)") } } }
            try await group.waitForAll()
        }
        let id = try await keepers[0].add("last")
        let name = await keepers[1].name(of: id)
        #expect(name == "last")
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Tag>()) == 41)
    }
}

@ModelActor
actor Keeper {
    func add(_ name: String) throws -> PersistentIdentifier {
        let tag = Tag(name)
        modelContext.insert(tag)
        try modelContext.save()
        return tag.persistentModelID
    }

    func name(of id: PersistentIdentifier) -> String? { self[id, as: Tag.self]?.name }
}

private final class Flag: @unchecked Sendable {
    private(set) var isRaised = false
    func raise() { isRaised = true }
}
