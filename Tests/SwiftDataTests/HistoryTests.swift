// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which changes the history keeps, in files and in memory, and how it is read.

import Foundation
import SwiftData
import Testing

@Model
final class Parcel {
    @Attribute(.preserveValueOnDeletion) var number: String
    @Attribute(.preserveValueOnDeletion) var weight: Double?
    var note: String

    init(number: String, weight: Double?, note: String) {
        self.number = number
        self.weight = weight
        self.note = note
    }
}

@Suite("The history of models", .serialized)
struct HistoryTests {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    /// A container in a file or in memory; the caller removes the file.
    private func container(_ file: URL?) throws -> ModelContainer {
        try ModelContainer(
            for: Parcel.self,
            configurations: file.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// Proves: S93, S95
    @Test("has the preserved values of deleted models, and the changed properties of others", arguments: [true, false])
    func tombstones(inMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let context = ModelContext(try container(inMemory ? nil : file))
        let (full, empty) = (Parcel(number: "7", weight: 2.5, note: "n"), Parcel(number: "8", weight: nil, note: ""))
        context.insert(full)
        context.insert(empty)
        try context.save()
        (full.weight, full.note) = (3, "m")
        try context.save()
        for parcel in [full, empty] { context.delete(parcel) }
        try context.save()
        let all = try context.fetchHistory(Descriptor())
        try #require(all.count == 3)
        guard case .update(let update)? = all[1].changes.first else {
            Issue.record("an update")
            return
        }
        let updated = (update as? DefaultHistoryUpdate<Parcel>)?.updatedAttributes.map { $0 as AnyKeyPath } ?? []
        #expect(Set(updated) == [\Parcel.weight, \Parcel.note])
        let stones = all[2].changes.compactMap { change -> HistoryTombstone<Parcel>? in
            guard case .delete(let deletion) = change else { return nil }
            return (deletion as? DefaultHistoryDelete<Parcel>)?.tombstone
        }
        .sorted { ($0[\.number] ?? "") < ($1[\.number] ?? "") }
        try #require(stones.count == 2)
        let numbers: [String?] = stones.map { $0[\.number] }
        #expect(numbers == ["7", "8"])
        #expect(stones[0][\.weight] as? Double == 3)
        let notes: [String?] = stones.map { $0[\.note] }
        #expect(notes == [nil, nil])
    }

    /// Proves: S94
    @Test("is fetched by author, time and token, in any order and number", arguments: [true, false])
    func questions(inMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let context = ModelContext(try container(inMemory ? nil : file))
        for (position, author) in ["ada", "bo", "ada"].enumerated() {
            context.author = author
            context.insert(Parcel(number: "\(position)", weight: nil, note: ""))
            try context.save()
        }
        let all = try context.fetchHistory(Descriptor())
        #expect(all.map(\.author) == ["ada", "bo", "ada"])
        func count(_ predicate: Predicate<DefaultHistoryTransaction>) throws -> Int {
            try context.fetchHistory(Descriptor(predicate: predicate)).count
        }
        #expect(try count(#Predicate { $0.author == "ada" }) == 2)
        let (first, last) = (try #require(all.first).token, try #require(all.last).timestamp)
        #expect(try count(#Predicate { $0.token > first }) == 2)
        #expect(try count(#Predicate { $0.token > first && $0.author == "ada" }) == 1)
        #expect(try count(#Predicate { $0.timestamp > last }) == 0)
        var newest = Descriptor(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        newest.fetchLimit = 1
        #expect(try context.fetchHistory(newest).map(\.transactionIdentifier) == [all[2].transactionIdentifier])
        let copy = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(first))
        #expect(copy == first && copy < all[1].token)
    }

    @Test("a token of several stores is before another one if it is ahead in none of those that both know")
    func tokensOfSeveralStores() throws {
        let context = ModelContext(try container(nil))
        context.insert(Parcel(number: "1", weight: nil, note: ""))
        try context.save()
        let first = try #require(try context.fetchHistory(Descriptor()).first?.token)
        func token(_ numbers: [String: Int64]) -> DefaultHistoryToken {
            var other = first
            other.tokenValue = numbers
            return other
        }
        let both = token(["a": 2, "b": 2])
        #expect(both < token(["a": 2, "b": 3]) && both < token(["a": 3, "b": 3]))
        // Later in one store, and earlier in the other one.
        let crossed = token(["a": 1, "b": 3])
        #expect(!(both < crossed) && !(crossed < both))
        // Stores that only one of the tokens knows do not count.
        #expect(token(["a": 1, "c": 9]) < both)
    }
}
