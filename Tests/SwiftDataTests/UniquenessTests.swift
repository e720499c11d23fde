// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// New models with the unique values of records, and of one another.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
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
        let saved = SavedIdentifiers(of: context)
        try context.save()
        #expect(saved.inserted == [all[2].persistentModelID] && saved.updated.isEmpty && saved.deleted.isEmpty)
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

    /// Halls and seats that random updates by unique values leave, as text.
    private func halls(afterUpdates seed: UInt64, holdingRecords: Bool) throws -> [String] {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let first = try context(file)
        var random = SeededGenerator(seed: seed)
        for name in ["big", "small"] {
            let hall = Hall(name)
            hall.seats = (0..<3).map { Seat(name, $0, guest: "first \($0)") }
            first.insert(hall)
        }
        try first.save()
        let second = ModelContext(first.container)
        let held: [any PersistentModel] =
            holdingRecords ? try second.fetch(FetchDescriptor<Hall>()) + second.fetch(FetchDescriptor<Seat>()) : []
        for round in 0..<4 {
            var made: [Hall] = []
            for name in ["big", "small", "third"] where Bool.random(using: &random) {
                let hall = Hall(name)
                second.insert(hall)
                made.append(hall)
            }
            for number in 0..<4 {
                guard Bool.random(using: &random), let row = ["big", "small"].randomElement(using: &random) else {
                    continue
                }
                let seat = Seat(row, number, guest: "round \(round)")
                seat.code = ["x", "y", nil].randomElement(using: &random) ?? nil
                seat.hall = made.randomElement(using: &random)
                second.insert(seat)
            }
            try second.save()
            #expect(!second.hasChanges)
        }
        let here = try dump(second)
        withExtendedLifetime(held) {}
        let stored = try dump(ModelContext(first.container))
        #expect(here == stored, "seed \(seed): the context and the store differ")
        return stored
    }

    private func dump(_ context: ModelContext) throws -> [String] {
        let halls = try context.fetch(FetchDescriptor<Hall>()).map { hall in
            "\(hall.name): \(hall.seats.map { "\($0.row)\($0.number)" }.sorted())"
        }
        let seats = try context.fetch(FetchDescriptor<Seat>()).map { seat in
            "\(seat.row)\(seat.number) \(seat.guest) \(seat.code ?? "-") \(seat.hall?.name ?? "-")"
        }
        return halls.sorted() + seats.sorted()
    }

    /// Proves: S60, S62, S63
    @Test("an update by unique values has one result, whether the context has the record's model or not")
    func heldOrNot() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let held = try halls(afterUpdates: seed, holdingRecords: true)
            let other = try halls(afterUpdates: seed, holdingRecords: false)
            #expect(other == held, "seed \(seed): \(other) \(held)")
        }
    }

    /// Proves: S60
    @Test("the new model becomes that of the record, and the save reports an update") func takeover() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let first = try context(file)
        first.insert(Seat("A", 1, guest: "Ada"))
        try first.save()
        let id = try #require(try first.fetchIdentifiers(FetchDescriptor<Seat>()).first)
        let second = ModelContext(first.container)
        let seat = Seat("A", 1, guest: "Bob")
        second.insert(seat)
        let temporary = seat.persistentModelID
        let saved = SavedIdentifiers(of: second)
        try second.save()
        #expect(saved.inserted.isEmpty && saved.updated == [id] && saved.deleted.isEmpty)
        #expect(seat.persistentModelID == id && temporary == id)
        #expect(try second.fetch(FetchDescriptor<Seat>()).first === seat)
        seat.guest = "Cy"
        try second.save()
        #expect(try seats(ModelContext(first.container)) == ["A1 Cy"])
        let changes = try second.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map { transaction in
            transaction.changes.map { change in
                switch change {
                case .insert: "insert"
                case .update: "update"
                case .delete: "delete"
                }
            }
        }
        #expect(changes == [["insert"], ["update"], ["update"]])
        second.delete(seat)
        try second.save()
        #expect(try seats(ModelContext(first.container)).isEmpty)
    }

    /// Proves: S60
    @Test("after a save that failed, the update can be saved again or rolled back", arguments: [true, false])
    func failure(_ isRepeated: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let first = try context(file)
        first.insert(Seat("A", 1, guest: "Ada"))
        try first.save()
        let second = ModelContext(first.container)
        let seat = Seat("A", 1, guest: "Bob")
        second.insert(seat)
        let database = try Connection(url: file, options: .init(access: .readWrite))
        try database.execute(
            "CREATE TRIGGER STOP BEFORE UPDATE ON ZSEAT BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(throws: (any Error).self) { try second.save() }
        try database.execute("DROP TRIGGER STOP")
        try database.close()
        #expect(second.hasChanges)
        if isRepeated {
            try second.save()
            #expect(try seats(ModelContext(first.container)) == ["A1 Bob"])
        } else {
            second.rollback()
            #expect(!second.hasChanges)
            #expect(try seats(ModelContext(first.container)) == ["A1 Ada"])
        }
    }
}

/// The identifiers in the notification of a context's next save.
private final class SavedIdentifiers: @unchecked Sendable {  // one thread uses it
    private var info: [AnyHashable: Any] = [:]
    private var token: (any NSObjectProtocol)?

    init(of context: ModelContext) {
        token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
            [weak self] note in self?.info = note.userInfo ?? [:]
        }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    private func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier] {
        info[key.rawValue] as? [PersistentIdentifier] ?? []
    }

    var inserted: [PersistentIdentifier] { identifiers(.insertedIdentifiers) }
    var updated: [PersistentIdentifier] { identifiers(.updatedIdentifiers) }
    var deleted: [PersistentIdentifier] { identifiers(.deletedIdentifiers) }
}
