// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// New models with the unique values of records, and of one another.

import Foundation
import SwiftData
import Testing

@Model
final class Seat {
    #Unique<Seat>([\.row, \.number], [\.hall, \.code])
    var row: String
    var number: Int
    var hall: Hall?
    var code: String?
    var guest: String

    init(_ row: String, _ number: Int, guest: String) {
        self.row = row
        self.number = number
        self.guest = guest
    }
}

@Model
final class Hall {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Seat.hall) var seats: [Seat] = []

    init(_ name: String) { self.name = name }
}

@Suite("Unique values make a new model an update", .serialized)
struct UniquenessTests {
    private func context(_ file: URL? = nil) throws -> ModelContext {
        let configuration = file.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true)
        return ModelContext(try ModelContainer(for: Seat.self, configurations: configuration))
    }

    private func seats(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.guest)]))
            .map { "\($0.row)\($0.number) \($0.guest)" }
    }

    /// Proves: S61
    @Test("of several new models with equal values in one save the last one wins, and one record remains")
    func severalNew() throws {
        let context = try context()
        let all = ["Ada", "Bob", "Cy"].map { Seat("A", 1, guest: $0) }
        for seat in all { context.insert(seat) }
        try context.save()
        let other = ModelContext(context.container)
        #expect(try seats(other) == ["A1 Cy"])
        #expect(try seats(context) == ["A1 Cy"])
        let record = try #require(try context.fetch(FetchDescriptor<Seat>()).first)
        #expect(all.allSatisfy { $0.guest == "Cy" && $0.persistentModelID == record.persistentModelID })
        all[0].guest = "Dora"
        try context.save()
        #expect(try seats(ModelContext(context.container)) == ["A1 Dora"])
    }

    /// Proves: S63, S60
    @Test("compound constraints and those over a to-one hold; nil is equal to nothing") func compound() throws {
        let context = try context()
        context.insert(Seat("A", 1, guest: "Ada"))
        context.insert(Seat("A", 2, guest: "Bob"))
        try context.save()
        context.insert(Seat("A", 1, guest: "Cy"))
        try context.save()
        #expect(try seats(ModelContext(context.container)) == ["A2 Bob", "A1 Cy"])
        let hall = Hall("big")
        context.insert(hall)
        for (number, code) in [(3, "x"), (4, "x"), (5, nil), (6, nil)] as [(Int, String?)] {
            let seat = Seat("B", number, guest: "guest \(number)")
            seat.hall = hall
            seat.code = code
            context.insert(seat)
            try context.save()
        }
        #expect(
            try seats(ModelContext(context.container))
                == ["A2 Bob", "A1 Cy", "B4 guest 4", "B5 guest 5", "B6 guest 6"])
    }

    /// Decided by `ModelContext.save()` of SwiftData with a new model that has the `#Unique` values of a record: its
    /// members.
    /// Proves: S62
    @Test("the updated record has the members of the new model; former members follow their rule", .tags(.assumed))
    func toMany() throws {
        let context = try context()
        let hall = Hall("big")
        hall.seats = [Seat("A", 1, guest: "Ada"), Seat("A", 2, guest: "Bob")]
        context.insert(hall)
        try context.save()
        let new = Hall("big")
        new.seats = [Seat("B", 1, guest: "Cy")]
        context.insert(new)
        try context.save()
        let other = ModelContext(context.container)
        let halls = try other.fetch(FetchDescriptor<Hall>())
        #expect(halls.count == 1)
        #expect(halls.first?.seats.map(\.guest) == ["Cy"])
    }

    /// Proves: S64
    @Test("updates by unique values hold in memory as in files", arguments: [true, false])
    func inFiles(_ isInMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let context = try context(isInMemory ? nil : file)
        for number in 0..<50 { context.insert(Seat("A", number, guest: "first")) }
        try context.save()
        let ids = Set(try context.fetchIdentifiers(FetchDescriptor<Seat>()))
        for number in 25..<75 { context.insert(Seat("A", number, guest: "second")) }
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetchCount(FetchDescriptor<Seat>()) == 75)
        #expect(try other.fetchCount(FetchDescriptor<Seat>(predicate: #Predicate { $0.guest == "second" })) == 50)
        #expect(ids.isSubset(of: try other.fetchIdentifiers(FetchDescriptor<Seat>())))
    }
}
