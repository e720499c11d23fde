// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models that outlive their record, their context or their container; retained classes and tables.

import CoreData
import Foundation
import SwiftData
import Testing

protocol Named: PersistentModel {
    var name: String { get set }
    static var byName: FetchDescriptor<Self> { get }
}

@Model
final class City: Named, Codable {
    var name: String
    var people: Int = 0
    static var byName: FetchDescriptor<City> { FetchDescriptor(sortBy: [SortDescriptor(\.name)]) }

    init(name: String) { self.name = name }

    private enum Key: CodingKey { case name, people }

    required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        name = try values.decode(String.self, forKey: .name)
        people = try values.decode(Int.self, forKey: .people)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(name, forKey: .name)
        try values.encode(people, forKey: .people)
    }
}

@Model
final class Link {
    @Relationship(inverse: nil) var next: Link?

    init(next: Link?) { self.next = next }
}

private struct LongChain {
    let container: ModelContainer
    let id: PersistentIdentifier
    let count: Int

    init(_ count: Int) throws {
        self.count = count
        container = try ModelContainer(for: Link.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        var last: Link?
        for _ in 0..<count {
            let link = Link(next: last)
            context.insert(link)
            last = link
        }
        try context.save()
        id = try #require(last).persistentModelID
    }

    func letGo(headFirst: Bool) {
        let thread = Thread { walk(headFirst: headFirst) }
        thread.stackSize = 512 << 10
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.01) }
    }

    private func walk(headFirst: Bool) {
        var context: ModelContext? = ModelContext(container)
        var head = context?.model(for: id) as? Link
        var (node, steps) = (head, 0)
        while let link = node { (node, steps) = (link.next, steps + 1) }
        precondition(steps == count, "\(steps)")
        if headFirst { head = nil } else { context = nil }
        (head, context) = (nil, nil)
    }
}

@Suite("Models outlive their sources")
struct LifetimeTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(for: City.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    private func all<Model: Named>(_ type: Model.Type, _ context: ModelContext) throws -> [String] {
        try context.fetch(Model.byName).map(\.name)
    }

    /// Proves: S7
    @Test("two models are equal by identity, and have the identifier of their record") func identity() throws {
        let (first, second) = (City(name: "Oslo"), City(name: "Oslo"))
        #expect(first == first && first != second)
        #expect(Set([first, second, first]).count == 2)
        #expect(first.id == first.persistentModelID && first.id != second.id)
    }

    /// Proves: S10
    @Test("models are Codable by hand, and go through generic functions and tables of key paths") func generic() throws
    {
        let context = ModelContext(try container())
        let city = try JSONDecoder().decode(City.self, from: Data(#"{"name": "Oslo", "people": 7}"#.utf8))
        context.insert(city)
        context.insert(City(name: "Bergen"))
        try context.save()
        #expect(try all(City.self, context) == ["Bergen", "Oslo"])
        let columns: [(String, PartialKeyPath<City>)] = [("name", \.name), ("people", \.people)]
        #expect(columns.map { "\($0.0)=\(city[keyPath: $0.1])" } == ["name=Oslo", "people=7"])
        let text = String(decoding: try JSONEncoder().encode(city), as: UTF8.self)
        #expect(text.contains("Oslo"))
    }

    /// Proves: S29, S56
    @Test("a context keeps its container, and so does a model that outlives both") func afterContainer() throws {
        var context: ModelContext? = ModelContext(try container())
        weak let weakContainer = context?.container
        #expect(weakContainer != nil)
        let city = City(name: "Oslo")
        context?.insert(city)
        try context?.save()
        context = nil
        #expect(city.name == "Oslo")
        #expect(weakContainer != nil)
        #expect(city.modelContext?.container === weakContainer)
    }

    /// Proves: S56, S57
    @Test("a model whose record was deleted elsewhere reads and takes values, which reach no file")
    func deletedElsewhere()
        throws
    {
        let container = try container()
        let (first, second) = (ModelContext(container), ModelContext(container))
        first.insert(City(name: "Oslo"))
        first.insert(City(name: "Rome"))
        try first.save()
        let cities = try second.fetch(City.byName)
        #expect(cities[0].name == "Oslo")
        for city in try first.fetch(City.byName) { first.delete(city) }
        try first.save()
        #expect(try second.fetchCount(City.byName) == 0)
        #expect(cities[0].isDeleted && cities[1].isDeleted)
        #expect(cities[0].name == "Oslo")
        _ = cities[1].name
        cities[0].name = "Paris"
        cities[1].people = 3
        try second.save()
        #expect(try ModelContext(container).fetchCount(City.byName) == 0)
    }

    /// Proves: S56, S70
    @Test("a model whose container was erased reads without a trap") func erased() throws {
        let container = try container()
        let context = ModelContext(container)
        let city = City(name: "Oslo")
        context.insert(city)
        try context.save()
        try container.erase()
        #expect(try context.fetchCount(City.byName) == 0)
        #expect(city.isDeleted && city.name == "Oslo")
        city.people = 4
        try context.save()
        #expect(try context.fetchCount(City.byName) == 0)
    }

    /// The ways to take changes of a context back.
    enum TakingBack: CaseIterable {
        case rollback, undo, refresh

        func callAsFunction(_ book: Book, _ context: ModelContext) {
            switch self {
            case .rollback: context.rollback()
            case .undo: context.undoManager?.undo()
            case .refresh:
                if let row = book.managedObject { context.managedObjectContext.refresh(row, mergeChanges: false) }
            }
        }
    }

    /// Proves: S16
    @Test(
        "a model whose changes were taken back is held again for the next change, until the save",
        arguments: TakingBack.allCases)
    func heldAgain(_ takeBack: TakingBack) throws {
        let context = ModelContext(
            try ModelContainer(for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.insert(Book(title: "Dune"))
        try context.save()
        context.undoManager = UndoManager()
        weak var book: Book?
        do {
            let found = try #require(try context.fetch(FetchDescriptor<Book>()).first)
            book = found
            found.pages = 1
            context.managedObjectContext.processPendingChanges()
            takeBack(found, context)
            #expect(found.pages == 0)
            #expect(!context.hasChanges)
            found.pages = 2
            found.isOpen = true
        }
        #expect(book?.isOpen == true)
        #expect(try context.fetch(FetchDescriptor<Book>()).map(\.isOpen) == [true])
        try context.save()
        context.undoManager?.removeAllActions()
        #expect(book == nil)
    }

    /// When models that refer to one another are released.
    enum Ending: CaseIterable {
        case context, reset, refresh

        func callAsFunction(_ context: inout ModelContext?) {
            switch self {
            case .context: context = nil
            case .reset: context?.managedObjectContext.reset()
            case .refresh: context?.managedObjectContext.refreshAllObjects()
            }
        }
    }

    /// Proves: S16
    @Test(
        "a to-one keeps the model that it referred to; circles of models end with their context, or a refresh",
        arguments: Ending.allCases)
    func reached(_ end: Ending) throws {
        let container = try ModelContainer(
            for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let maker = ModelContext(container)
        maker.insert(Book(title: "Dune", author: Author(name: "Frank")))
        try maker.save()
        var context: ModelContext? = ModelContext(container)
        weak var author: Author?
        weak var weakBook: Book?
        do {
            let book = try #require(try context?.fetch(FetchDescriptor<Book>()).first)
            weakBook = book
            author = book.author
            #expect(author?.name == "Frank")
            #expect(author?.books.first === book)
            book.author = nil
            context?.rollback()
            author = book.author
            #expect(author != nil)
        }
        end(&context)
        #expect(author == nil)
        #expect(weakBook == nil)
    }

    /// Proves: S16
    @Test("a model that is fetched over and over is one, also when two refer to one another") func pair() throws {
        let container = try ModelContainer(
            for: Link.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let maker = ModelContext(container)
        let (one, two) = (Link(next: nil), Link(next: nil))
        maker.insert(one)
        (one.next, two.next) = (two, one)
        try maker.save()
        let id = one.persistentModelID
        let context = ModelContext(container)
        weak var second: Link?
        do {
            let first = try #require(context.model(for: id) as? Link)
            second = first.next
            #expect(second?.next === first)
        }
        // The first one is made again, and the rows keep both now.
        weak let again = second?.next
        #expect(again != nil && again?.next === second)
        context.managedObjectContext.reset()
        #expect(again == nil && second == nil)
    }

    /// Proves: S16
    @Test("a long chain of models goes when its head is let go, or its context, on the small stack of a thread")
    func longChain() async {
        await #expect(processExitsWith: .success) {
            let chain = try LongChain(6000)
            chain.letGo(headFirst: true)
            chain.letGo(headFirst: false)
        }
    }

    /// Proves: S29
    @Test("a released container closes its file") func closed() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        weak var container: ModelContainer?
        weak var coordinator: NSPersistentStoreCoordinator?
        do {
            let context = ModelContext(
                try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: file)))
            container = context.container
            coordinator = context.container.persistentStoreCoordinator
            context.insert(Book(title: "Dune"))
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)
        }
        #expect(container == nil)
        #expect(coordinator == nil)
        // A check for changes by others may be under way, which retains the store until its end.
        for _ in 0..<400 where try isOpen(file) { Thread.sleep(forTimeInterval: 0.05) }
        #expect(try !isOpen(file))
    }

    private func isOpen(_ file: URL) throws -> Bool {
        let manager = FileManager.default
        return try manager.contentsOfDirectory(atPath: "/proc/self/fd").contains {
            let target = try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return target?.hasPrefix(file.path) == true
        }
    }

    /// Proves: S85
    @Test("containers, identifiers, descriptors and tokens may go to other threads") func sendable() async throws {
        func send<Value: Sendable>(_ value: Value) async -> Value { await Task.detached { value }.value }
        let context = ModelContext(try container())
        context.insert(City(name: "Oslo"))
        try context.save()
        let city = try #require(try context.fetch(City.byName).first)
        let container = await send(context.container)
        let id = await send(city.persistentModelID)
        let descriptor = await send(FetchDescriptor<City>(predicate: #Predicate { $0.name == "Oslo" }))
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let token = await send(try #require(transactions.last).token)
        let other = ModelContext(container)
        #expect(try other.fetch(descriptor).map(\.persistentModelID) == [id])
        #expect(
            try other.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
            ).isEmpty)
    }
}
