// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Observers of the history.

import Foundation
import Observation
import SwiftData
import Testing

@Suite("History observers count the transactions that concern them")
struct HistoryObserverTests {
    private func save(_ model: some PersistentModel, by author: String? = nil, to container: ModelContainer) throws {
        let context = ModelContext(container)
        context.author = author
        context.insert(model)
        try context.save()
    }

    /// Notifications of stores come on a separate thread.
    private func wait(for count: Int, of observer: HistoryObserver) async throws {
        for _ in 0..<500 where observer.eventCounter < count { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Proves: S92
    @Test("Classes and authors decide what counts")
    func filters() async throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let container = try ModelContainer(
            for: Schema([Author.self, Animal.self, Dog.self]), configurations: ModelConfiguration(url: file))
        let all = try HistoryObserver(modelContainer: container)
        let animals = try HistoryObserver(observedModels: [Animal.self], modelContainer: container)
        let widget = try HistoryObserver(authors: ["widget"], modelContainer: container)
        try save(Tag("a"), to: container)
        try await wait(for: 1, of: all)
        #expect(all.eventCounter == 1 && animals.eventCounter == 0 && widget.eventCounter == 0)
        try save(Dog(name: "Rex", breed: "Pug"), by: "widget", to: container)
        for observer in [all, animals, widget] { try await wait(for: observer === all ? 2 : 1, of: observer) }
        #expect(all.eventCounter == 2 && animals.eventCounter == 1 && widget.eventCounter == 1)
    }

    /// Proves: S92, S69
    @Test("Another container on the file counts, and Swift's Observation learns it")
    func otherContainer() async throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let here = try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file))
        let there = try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file))
        let observer = try HistoryObserver(modelContainer: here)
        let told = Told()
        withObservationTracking {
            _ = observer.eventCounter
        } onChange: {
            told.count += 1
        }
        try save(Tag("a"), to: there)
        try await wait(for: 1, of: observer)
        #expect(observer.eventCounter == 1 && told.count == 1)
    }

    /// Proves: S92
    @Test("An observer begins where another one ended, and refuses a token of a deleted history")
    func tokens() throws {
        let container = try Stack.memory()
        let tokens: [String: any HistoryToken]
        do {
            try save(Tag("a"), to: container)
            let first = try HistoryObserver(modelContainer: container)
            tokens = first.historyTokens
            #expect(first.eventCounter == 0 && tokens.count == 1)
        }
        try save(Tag("b"), to: container)
        try save(Tag("c"), to: container)
        #expect(try HistoryObserver(historyTokens: tokens, modelContainer: container).eventCounter == 2)
        try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let error = #expect(throws: (any Error).self) {
            try HistoryObserver(historyTokens: tokens, modelContainer: container)
        }
        let isExpired = try SwiftDataError.historyTokenExpired ~= #require(error)
        #expect(isExpired)
    }
}

private final class Told: @unchecked Sendable {
    var count = 0
}
