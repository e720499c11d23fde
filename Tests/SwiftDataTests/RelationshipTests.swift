// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Both ends of relationships, arrays of members, their order and their number.

import Foundation
import SwiftData
import Testing

@Model
final class Team {
    var name: String
    @Relationship(.ordered, inverse: \Player.team) var players: [Player]? = []
    @Relationship(maximumModelCount: 2, inverse: \Player.coached) var coaches: [Player] = []

    init(_ name: String) { self.name = name }
}

@Model
final class Player {
    var name: String
    var team: Team?
    var coached: Team?

    init(_ name: String) { self.name = name }
}

/// Two relationships lead from a match to a side, so neither is known to be the inverse of the one that leads back.
@Model
final class Match {
    var home: Side?
    var guest: Side?

    init() {}
}

@Model
final class Side {
    var match: Match?

    init() {}
}

@Suite("Relationships have two ends")
struct RelationshipTests {
    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(for: Team.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    /// Proves: S47
    @Test("a to-one, an array and an optional array change at both ends at once")
    func bothEnds() throws {
        let context = try context()
        let (red, blue, ada) = (Team("red"), Team("blue"), Player("Ada"))
        context.insert(red)
        context.insert(blue)
        ada.team = red
        #expect(red.players?.map(\.name) == ["Ada"])
        blue.players = [ada]
        #expect(ada.team === blue && red.players?.isEmpty == true)
        blue.players = nil
        #expect(ada.team == nil)
    }

    @Test("a relationship that two others could lead back from has no inverse, and neither have they")
    func ambiguousInverse() throws {
        let schema = Schema([Match.self])
        let relationships = schema.entities.flatMap(\.relationships)
        #expect(relationships.map(\.name).sorted() == ["guest", "home", "match"])
        #expect(relationships.allSatisfy { $0.inverseName == nil })
        let (match, side) = (Match(), Side())
        let context = ModelContext(
            try ModelContainer(for: Match.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.insert(match)
        match.guest = side
        #expect(side.match == nil)
        side.match = match
        #expect(match.home == nil && match.guest === side)
    }

    /// Proves: S49
    @Test("arrays change in place, and a model is in one once")
    func arrays() throws {
        let context = try Stack.library()
        let tags = ["a", "b", "c"].map { Tag($0) }
        let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
        book.tags = []
        book.tags.append(tags[0])
        book.tags += [tags[1], tags[2]]
        book.tags.append(tags[0])
        #expect(book.tags.map(\.name) == ["a", "b", "c"] && tags[0].books.first === book)
        book.tags.remove(at: 0)
        #expect(book.tags.map(\.name) == ["b", "c"] && tags[0].books.isEmpty)
        book.tags.insert(tags[0], at: 0)
        book.tags[1] = Tag("d")
        #expect(Set(book.tags.map(\.name)) == ["a", "d", "c"] && tags[1].books.isEmpty)
        book.tags.removeAll()
        #expect(book.tags.isEmpty && tags[2].books.isEmpty)
        try context.save()
        let books = try ModelContext(context.container).fetch(FetchDescriptor<Book>())
        #expect(books.flatMap(\.tags).isEmpty)
    }

    /// Proves: S50
    @Test("members come in the order in which they were first saved; an ordered relationship keeps any order")
    func order() throws {
        let context = try context()
        let team = Team("red")
        context.insert(team)
        let players = ["c", "a", "b"].map { Player($0) }
        team.players = players
        #expect(team.players?.map(\.name) == ["c", "a", "b"])
        try context.save()
        team.players?.sort { $0.name < $1.name }
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<Team>()).first?.players?.map(\.name) == ["a", "b", "c"])

        let library = try Stack.library()
        let book = try #require(try library.fetch(FetchDescriptor<Book>()).first)
        book.tags = ["x", "z", "y"].map { Tag($0) }
        #expect(book.tags.map(\.name) == ["x", "z", "y"])
        try library.save()
        book.tags = book.tags.reversed()
        try library.save()
        let again = ModelContext(library.container)
        let name = book.title
        let same = try again.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == name })).first
        let order = same?.tags.map(\.name)
        #expect(order == book.tags.map(\.name))
        #expect(Set(order ?? []) == ["x", "y", "z"])
    }

    /// Proves: S50
    @Test("assigned members keep their order until the save, saved and unsaved ones, after removals and insertions")
    func assignedOrder() throws {
        let library = try Stack.library()
        let (a, b) = (Tag("a"), Tag("b"))
        library.insert(a)
        library.insert(b)
        try library.save()
        let book = try #require(try library.fetch(FetchDescriptor<Book>()).last)
        book.tags = [Tag("new"), b, a]
        #expect(book.tags.map(\.name) == ["new", "b", "a"])
        book.tags.append(Tag("last"))
        book.tags.remove(at: 1)
        #expect(book.tags.map(\.name) == ["new", "a", "last"])
        book.tags.insert(b, at: 0)
        #expect(book.tags.map(\.name) == ["b", "new", "a", "last"])
        b.books = []
        #expect(book.tags.map(\.name) == ["new", "a", "last"])
        try library.save()
        #expect(book.tags.map(\.name) == ["a", "new", "last"])
    }

    /// The ways in which members enter the context.
    enum Coming: CaseIterable {
        case withOwner, beforeAssignment, beforeOwner, oneByOne, withMember

        func callAsFunction(_ book: Book, _ tags: [Tag], _ context: ModelContext) {
            let assigned = [tags[2], tags[0], tags[1]]
            switch self {
            case .withOwner:
                book.tags = assigned
                context.insert(book)
            case .beforeAssignment:
                context.insert(book)
                for tag in tags { context.insert(tag) }
                book.tags = assigned
            case .beforeOwner:
                for tag in tags { context.insert(tag) }
                book.tags = assigned
            case .oneByOne:
                context.insert(book)
                for tag in tags.reversed() { context.insert(tag) }
                for tag in assigned { book.tags.append(tag) }
            case .withMember:
                book.tags = assigned
                context.insert(tags[0])
            }
        }
    }

    /// Proves: S50
    @Test("new members have the order in which they were assigned after the save, too", arguments: Coming.allCases)
    func savedOrder(_ come: Coming) throws {
        let context = ModelContext(try Stack.memory())
        let (book, tags) = (Book(title: "Dune"), ["a", "b", "c"].map { Tag($0) })
        come(book, tags, context)
        #expect(book.tags.map(\.name) == ["c", "a", "b"])
        try context.save()
        #expect(book.tags.map(\.name) == ["c", "a", "b"])
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<Book>()).first?.tags.map(\.name) == ["c", "a", "b"])
    }

    /// Proves: S52
    @Test("too many members make the save throw; a maximum of none is no limit")
    func counts() throws {
        let context = try context()
        let team = Team("red")
        context.insert(team)
        team.players = (0..<5).map { Player("\($0)") }
        team.coaches = (0..<3).map { Player("coach \($0)") }
        let error = #expect(throws: ModelError.self) { try context.save() }
        #expect(error?.kind == .modelValidationFailure)
        #expect(error?.entityName == "Team" && error?.propertyName == "coaches")
        team.coaches.removeLast()
        try context.save()
    }

    /// Proves: S54
    @Test("models of two contexts are not related: a trap that names both") func twoContexts() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let first = try Stack.library()
            let second = ModelContext(first.container)
            let book = try first.fetch(FetchDescriptor<Book>())[0]
            book.author = try second.fetch(FetchDescriptor<Author>())[0]
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("belong to different contexts") && text.contains("Book") && text.contains("Author"))
    }
}
