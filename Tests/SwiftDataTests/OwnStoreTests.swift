// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Custom stores in a container.

import Foundation
import SwiftData
import Testing

/// Where a store of the suites keeps its records.
enum ShelfKind: String, CaseIterable {
    case memory, file
}

@Suite("Stores that a program writes")
struct OwnStoreTests {
    private let file = Stack.file()
    private let place = ShelfPlace()

    private func container(_ kind: ShelfKind) throws -> ModelContainer {
        try ModelContainer(
            for: Author.self, Animal.self, Dog.self,
            configurations: ShelfConfiguration(name: "a", file: kind == .file ? file : nil, place: place))
    }

    private func fill(_ context: ModelContext) throws {
        let herbert = Author(name: "Herbert", born: Date(timeIntervalSinceReferenceDate: 0))
        let dune = Book(title: "Dune", pages: 412, author: herbert, tags: [Tag("desert"), Tag("worm")])
        dune.genre = .novel
        dune.words = ["spice"]
        dune.address = Address(city: "Arrakeen", zip: 7)
        context.insert(dune)
        context.insert(Book(title: "Lists", pages: 90))
        context.insert(Dog(name: "Rex", breed: "Setter"))
        try context.save()
    }

    /// Proves: S101, S102
    @Test("Models are saved, fetched, changed and deleted, with all their values", arguments: ShelfKind.allCases)
    func journey(kind: ShelfKind) throws {
        defer { Stack.remove(file) }
        let container = try container(kind)
        let context = ModelContext(container)
        try fill(context)
        let fresh = ModelContext(kind == .file ? try self.container(kind) : container)
        let all = try fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
        #expect(all.map(\.title) == ["Dune", "Lists"])
        let dune = try #require(all.first)
        #expect(dune.pages == 412 && dune.genre == .novel && dune.words == ["spice"] && dune.address?.zip == 7)
        #expect(dune.author?.name == "Herbert" && dune.author?.books == [dune])
        #expect(Set(dune.tags.map(\.name)) == ["desert", "worm"] && dune.tags[0].books == [dune])
        let thick = #Predicate<Book> { $0.pages > 100 && $0.author?.name == "Herbert" }
        #expect(try fresh.fetch(FetchDescriptor(predicate: thick)) == [dune])
        #expect(try fresh.fetchCount(FetchDescriptor(predicate: thick)) == 1)
        #expect(try fresh.fetchIdentifiers(FetchDescriptor(predicate: thick)) == [dune.persistentModelID])
        #expect(try fresh.fetch(FetchDescriptor<Animal>()).map { ($0 as? Dog)?.breed } == ["Setter"])
        dune.title = "Dune II"
        dune.tags.removeFirst()
        fresh.delete(all[1])
        try fresh.save()
        let last = ModelContext(kind == .file ? try self.container(kind) : container)
        let rest = try last.fetch(FetchDescriptor<Book>())
        #expect(rest.map(\.title) == ["Dune II"] && rest.first?.tags.count == 1)
    }

    /// Proves: S13, S14, S15, S101
    @Test("Identifiers become permanent at the save, and find the record", arguments: ShelfKind.allCases)
    func identifiers(kind: ShelfKind) throws {
        defer { Stack.remove(file) }
        let container = try container(kind)
        let context = ModelContext(container)
        let book = Book(title: "Dune")
        context.insert(book)
        let early = book.persistentModelID
        #expect(early.storeIdentifier == nil)
        try context.save()
        let id = book.persistentModelID
        #expect(id.storeIdentifier == "shelf-a" && id == early && id.hashValue == early.hashValue)
        let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
        #expect(decoded == id)
        let other = ModelContext(kind == .file ? try self.container(kind) : container)
        let found: Book = try other.existingModel(for: decoded)
        #expect(found.title == "Dune")
        let again: Book? = context.registeredModel(for: early)
        #expect(again === book)
    }

    /// Proves: S101
    @Test("A store that refuses a save leaves the changes in the context", arguments: ShelfKind.allCases)
    func refusal(kind: ShelfKind) throws {
        defer { Stack.remove(file) }
        let container = try container(kind)
        let context = ModelContext(container)
        let shelf = try #require(place.shelf)
        context.insert(Book(title: "Dune"))
        shelf.refusal = CocoaError(.fileWriteOutOfSpace)
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(context.hasChanges)
        shelf.refusal = nil
        try context.save()
        #expect(!context.hasChanges && shelf.saves == 1)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 1)
    }

    /// Proves: S30, S101
    @Test("Two contexts that change one record lose nothing", arguments: ShelfKind.allCases)
    func conflict(kind: ShelfKind) throws {
        defer { Stack.remove(file) }
        let one = try container(kind)
        // Another container of the file does not see the first one's saves until it reads.
        let two = kind == .file ? try container(kind) : one
        let (here, there) = (ModelContext(one), ModelContext(two))
        try fill(here)
        let predicate = #Predicate<Book> { $0.title == "Dune" }
        let mine = try #require(try here.fetch(FetchDescriptor(predicate: predicate)).first)
        let theirs = try #require(try there.fetch(FetchDescriptor(predicate: predicate)).first)
        mine.pages = 1
        try here.save()
        theirs.title = "Dune II"
        try there.save()
        let fresh = ModelContext(two)
        let last = try #require(try fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).first)
        #expect(last.title == "Dune II" && last.pages == 1)
    }

    /// Proves: S60, S64, S51
    @Test("Unique values and delete rules are those of every store", arguments: ShelfKind.allCases)
    func rules(kind: ShelfKind) throws {
        defer { Stack.remove(file) }
        let context = ModelContext(try container(kind))
        try fill(context)
        context.insert(Author(name: "Herbert", born: nil))
        try context.save()
        let authors = try context.fetch(FetchDescriptor<Author>())
        #expect(authors.count == 1)
        let author = try #require(authors.first)
        author.books = try context.fetch(FetchDescriptor<Book>())
        try context.save()
        context.delete(author)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    }

    /// Proves: S101, S70
    @Test("The store deletes many records at once, and is erased", arguments: ShelfKind.allCases)
    func batches(kind: ShelfKind) throws {
        defer { Stack.remove(file) }
        let container = try container(kind)
        let context = ModelContext(container)
        try fill(context)
        let shelf = try #require(place.shelf)
        let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
        #expect(try context.delete(immediately: Tag.self) == 2)
        #expect(shelf.requests.contains("delete Tag") && tag.isDeleted)
        #expect(try context.delete(immediately: Book.self, where: #Predicate { $0.pages < 100 }) == 1)
        #expect(try context.fetch(FetchDescriptor<Book>()).map(\.title) == ["Dune"])
        try container.erase()
        #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Author>()) == 0)
    }

    /// Proves: S101
    @Test("Each context begins and ends at the store")
    func states() throws {
        let container = try container(.memory)
        let shelf = try #require(place.shelf)
        do {
            let context = ModelContext(container)
            #expect(shelf.states == [context.editingState.id])
        }
        #expect(shelf.states.isEmpty)
    }

    /// Proves: S101
    @Test("Snapshots may be of a type of the program's, and the store may change values")
    func ownSnapshots() throws {
        let container = try ModelContainer(
            for: Schema([Author.self, Animal.self, Dog.self]), configurations: [TagListConfiguration()])
        let context = ModelContext(container)
        let tag = Tag("desert")
        context.insert(tag)
        try context.save()
        #expect(tag.name == "DESERT")
        tag.name = "worm"
        try context.save()
        let fresh = ModelContext(container)
        #expect(try fresh.fetch(FetchDescriptor<Tag>()).map(\.name) == ["WORM"])
        let worm = #Predicate<Tag> { $0.name == "WORM" }
        #expect(try fresh.fetchCount(FetchDescriptor(predicate: worm)) == 1)
    }

    /// Proves: S71, S101
    @Test("A store that cannot be opened, and one that names no records, are errors with a sentence")
    func mistakes() throws {
        #expect(throws: DataStoreError.invalidPredicate) {
            try ModelContainer(
                for: Author.self, Animal.self, Dog.self, configurations: ForgetfulConfiguration(text: "refuse"))
        }
        defer { Stack.remove(file) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("[{\"persistentIdentifier\": 7}]".utf8).write(to: file)
        let opening = #expect(throws: ModelError.self) { try container(.file) }
        #expect(opening?.kind == .loadIssueModelContainer)
        #expect(try Data(contentsOf: file) == Data("[{\"persistentIdentifier\": 7}]".utf8))
        let context = ModelContext(
            try ModelContainer(for: Author.self, Animal.self, Dog.self, configurations: ForgetfulConfiguration()))
        context.insert(Tag("a"))
        let saving = #expect(throws: (any Error).self) { try context.save() }
        #expect("\(saving.map { "\($0)" } ?? "")".contains("has given no permanent identifier"))
        #expect(context.hasChanges)
    }

    /// Proves: S101
    @Test("A store that gives a new record the identifier of another class makes the save throw, with both names")
    func foreignIdentifier() throws {
        let context = ModelContext(
            try ModelContainer(
                for: Author.self, Animal.self, Dog.self, configurations: ForgetfulConfiguration(text: "Book")))
        context.insert(Tag("a"))
        let error = #expect(throws: ModelError.self) { try context.save() }
        #expect(error?.entityName == "Tag")
        #expect(error?.reason.contains("has given a new record the identifier of a 'Book'") == true)
        #expect(context.hasChanges)
    }

    /// Proves: S68, S101
    @Test("A container has a file and a store of the program's side by side")
    func sideBySide() throws {
        defer { Stack.remove(file) }
        let builtIn = ModelConfiguration("file", schema: Schema([Pebble.self]), isStoredInMemoryOnly: true)
        let own = ShelfConfiguration(name: "own", schema: Schema([Shell.self]), file: nil)
        let all: [any DataStoreConfiguration] = [builtIn, own]
        let container = try ModelContainer(for: Schema([Pebble.self, Shell.self]), configurations: all)
        #expect(container.configurations == [builtIn])
        let context = ModelContext(container)
        context.insert(Pebble(name: "a"))
        context.insert(Shell(name: "b"))
        try context.save()
        let fresh = ModelContext(container)
        #expect(try fresh.fetch(FetchDescriptor<Pebble>()).map(\.name) == ["a"])
        #expect(try fresh.fetch(FetchDescriptor<Shell>()).map(\.name) == ["b"])
    }
}

@Model
final class Pebble {
    var name: String
    init(name: String) { self.name = name }
}

@Model
final class Shell {
    var name: String
    init(name: String) { self.name = name }
}

@Suite("The built-in store by itself")
struct DefaultStoreTests {
    private let file = Stack.file()

    /// Proves: S103
    @Test("A store over the built-in one keeps models in its file, with a history")
    func wrapper() throws {
        defer { Stack.remove(file) }
        func open() throws -> ModelContainer {
            try ModelContainer(
                for: Author.self, Animal.self, Dog.self, configurations: WrapperConfiguration(file: file))
        }
        let context = ModelContext(try open())
        context.author = "me"
        let dune = Book(title: "Dune", pages: 412, author: Author(name: "Herbert"), tags: [Tag("desert")])
        dune.genre = .novel
        context.insert(dune)
        try context.save()
        dune.pages = 5
        dune.address = Address(city: "Arrakeen")
        try context.save()
        let fresh = ModelContext(try open())
        let found = try #require(
            try fresh.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name == "Herbert" })).first)
        #expect(found.pages == 5 && found.genre == .novel && found.tags.map(\.name) == ["desert"])
        #expect(found.author?.books == [found] && found.address?.city == "Arrakeen")
        #expect(found.persistentModelID == dune.persistentModelID)
        let history = try fresh.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(history.map(\.author) == ["me", "me"])
        fresh.delete(found)
        try fresh.save()
        let builtIn = try ModelContainer(
            for: Author.self, Animal.self, Dog.self, configurations: ModelConfiguration(url: file))
        #expect(try ModelContext(builtIn).fetchCount(FetchDescriptor<Book>()) == 0)
        #expect(try ModelContext(builtIn).fetchCount(FetchDescriptor<Author>()) == 1)
    }

    /// Proves: S103
    @Test("Snapshots are encoded and decoded with the keys of properties")
    func snapshots() throws {
        let configuration = ModelConfiguration(
            schema: Schema([Author.self, Animal.self, Dog.self]), isStoredInMemoryOnly: true)
        let store = try DefaultStore(configuration, migrationPlan: nil)
        let book = Book(title: "Dune", pages: 412, author: Author(name: "Herbert"))
        book.genre = .novel
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshot = DefaultSnapshot(from: book.persistentBackingData, relatedBackingDatas: &related)
        #expect(snapshot.values["title"] as? String == "Dune" && snapshot.values["genre"] as? Genre == .novel)
        let herbert = try #require(book.author)
        let values = try #require(related[herbert.persistentModelID] as? any BackingData<Author>)
        #expect(related.count == 1 && values.getValue(forKey: \.name) == "Herbert")
        let text = try JSONEncoder().encode(snapshot)
        let object = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        #expect(object["pages"] as? Int == 412 && object["persistentIdentifier"] != nil && object["address"] == nil)
        let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: text)
        #expect(decoded.values["author"] as? PersistentIdentifier == book.author?.persistentModelID)
        let state = ModelContext(try Stack.memory()).editingState
        let author = DefaultSnapshot(
            from: try #require(book.author).persistentBackingData, relatedBackingDatas: &related)
        let result = try store.save(
            DataStoreSaveChangesRequest(editingState: state, inserted: [decoded, author], updated: [], deleted: []))
        #expect(result.remappedIdentifiers.count == 2 && result.storeIdentifier == store.identifier)
        var descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name == "Herbert" })
        descriptor.relationshipKeyPathsForPrefetching = [\.author]
        let found = try store.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
        #expect(found.fetchedSnapshots.count == 1 && found.relatedSnapshots.count == 1)
        try store.delete(DataStoreBatchDeleteRequest<Book>(editingState: state))
        #expect(try store.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state)) == 0)
    }

    /// Proves: S103
    @Test("Coding keys are names, and keep a property apart from the identifier")
    func keys() throws {
        let keys: [DataStoreSnapshotCodingKey] = [
            .persistentIdentifier, .modeledProperty("title"), .modeledProperty("persistentIdentifier"),
        ]
        #expect(Set(keys.map(\.stringValue)).count == 3)
        #expect(
            keys.map { DataStoreSnapshotCodingKey(stringValue: $0.stringValue)?.stringValue } == keys.map(\.stringValue)
        )
        #expect(DataStoreSnapshotCodingKey(intValue: 1) == nil && keys[0].intValue == nil)
    }
}
