// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores of older schemas.

import CoreData
import Foundation
import SwiftData
import Testing

enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model
    final class Trip {
        var name: String
        var days: Int = 1

        init(name: String) { self.name = name }
    }
}

enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model
    final class Trip {
        @Attribute(originalName: "name") var title: String
        var days: Int = 1
        var rating: Int?

        init(title: String) { self.title = title }
    }
}

enum Third: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Trip.self] }

    @Model
    final class Trip {
        @Attribute(.unique) var title: String
        var days: Int = 1
        var rating: Int = 0

        init(title: String) { self.title = title }
    }
}

enum TripPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self, Third.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: First.self, toVersion: Second.self),
            .custom(
                fromVersion: Second.self, toVersion: Third.self,
                willMigrate: { context in
                    var seen: Set<String> = []
                    for trip in try context.fetch(FetchDescriptor<Second.Trip>()) {
                        if !seen.insert(trip.title).inserted { context.delete(trip) }
                        if trip.rating == nil { trip.rating = 3 }
                    }
                    try context.save()
                },
                didMigrate: { context in
                    for trip in try context.fetch(FetchDescriptor<Third.Trip>()) { trip.days += 10 }
                    try context.save()
                }),
        ]
    }
}

enum FailingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: First.self, toVersion: Second.self,
                willMigrate: { context in
                    try context.delete(model: First.Trip.self)
                    try context.save()
                }, didMigrate: { _ in throw CancellationError() })
        ]
    }
}

/// The process ends during its stage.
enum KilledPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
                didMigrate: { context in
                    for trip in try context.fetch(FetchDescriptor<Second.Trip>()) { trip.title = "lost" }
                    try context.save()
                    kill(getpid(), SIGKILL)
                })
        ]
    }
}

/// Its stage takes so long that other openers arrive while it runs.
enum SlowPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
                didMigrate: { context in
                    Thread.sleep(forTimeInterval: 0.2)
                    for trip in try context.fetch(FetchDescriptor<Second.Trip>()) { trip.title += "!" }
                })
        ]
    }
}

/// Its stage calls a closure of the test.
enum DisturbedPlan: SchemaMigrationPlan {
    @TaskLocal static var disturbance: @Sendable () throws -> Void = {}

    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
                didMigrate: { _ in try disturbance() })
        ]
    }
}

@Suite("Stores of older schemas are migrated")
struct VersionTests {
    private func old(_ file: URL, _ names: [String]) throws {
        let container = try ModelContainer(
            for: Schema(versionedSchema: First.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        for name in names { context.insert(First.Trip(name: name)) }
        try context.save()
        // Closed at once: a released container closes its store a moment later, and a store in use is not migrated.
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Proves: S74, S79
    @Test("Without a plan properties are renamed and added")
    func inferred() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file, ["Rome"])
        let container = try ModelContainer(
            for: Schema(versionedSchema: Second.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let trips = try context.fetch(FetchDescriptor<Second.Trip>())
        #expect(trips.map(\.title) == ["Rome"] && trips.first?.rating == nil)
    }

    /// A store with one trip, which the context has open.
    private func opened(_ file: URL) throws -> ModelContext {
        let container = try ModelContainer(
            for: Schema(versionedSchema: First.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        context.insert(First.Trip(name: "Rome"))
        try context.save()
        return context
    }

    /// Proves: S74
    @Test("A container that is still open does not keep its store from being migrated")
    func openContainer() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let earlier = try opened(file)
        let container = try ModelContainer(
            for: Schema(versionedSchema: Second.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        #expect(try context.fetch(FetchDescriptor<Second.Trip>()).map(\.title) == ["Rome"])
        earlier.insert(First.Trip(name: "Oslo"))
        #expect(throws: (any Error).self) { try earlier.save() }
        #expect(throws: (any Error).self) { try earlier.fetch(FetchDescriptor<First.Trip>()) }
        #expect(try context.fetchCount(FetchDescriptor<Second.Trip>()) == 1)
    }

    /// Proves: S75
    @Test("A container that is still open does not keep the stages of a plan from running")
    func openContainerAndPlan() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let earlier = try opened(file)
        let container = try ModelContainer(
            for: Schema(versionedSchema: Third.self), migrationPlan: TripPlan.self,
            configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        #expect(try context.fetch(FetchDescriptor<Third.Trip>()).map(\.days) == [11])
        earlier.insert(First.Trip(name: "Oslo"))
        #expect(throws: (any Error).self) { try earlier.save() }
        #expect(try context.fetchCount(FetchDescriptor<Third.Trip>()) == 1)
    }

    /// Proves: S75, S76
    @Test("A plan's stages run in order, with their code")
    func staged() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file, ["Rome", "Rome", "Oslo"])
        let container = try ModelContainer(
            for: Schema(versionedSchema: Third.self), migrationPlan: TripPlan.self,
            configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let trips = try context.fetch(FetchDescriptor<Third.Trip>(sortBy: [SortDescriptor(\.title)]))
        #expect(trips.map(\.title) == ["Oslo", "Rome"])
        #expect(trips.map(\.rating) == [3, 3] && trips.map(\.days) == [11, 11])
    }

    /// Proves: S80
    @Test("A stage that fails leaves the file as it was")
    func failing() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file, ["Rome"])
        #expect(throws: (any Error).self) {
            try ModelContainer(
                for: Schema(versionedSchema: Second.self), migrationPlan: FailingPlan.self,
                configurations: ModelConfiguration(url: file))
        }
        let container = try ModelContainer(
            for: Schema(versionedSchema: First.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        #expect(try context.fetch(FetchDescriptor<First.Trip>()).map(\.name) == ["Rome"])
    }

    /// Proves: S80
    @Test("A migration that is killed leaves the file as it was, and does not hinder the next one")
    func killed() async throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file, ["Rome", "Oslo"])
        for _ in 0..<2 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
                _ = try ModelContainer(
                    for: Schema(versionedSchema: Second.self), migrationPlan: KilledPlan.self,
                    configurations: ModelConfiguration(url: URL(filePath: path)))
            }
        }
        try old(file, ["Bern"])
        let container = try ModelContainer(
            for: Schema(versionedSchema: Third.self), migrationPlan: TripPlan.self,
            configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let trips = try context.fetch(FetchDescriptor<Third.Trip>())
        #expect(trips.map(\.title) == ["Rome", "Oslo", "Bern"])
        #expect(trips.map(\.rating) == [3, 3, 3])
        let files = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(!files.contains { $0.hasPrefix(".\(file.lastPathComponent).migration-") })
    }

    /// Proves: S76, S80
    @Test("Of several openers one runs the stages, and no save of another one is lost")
    func openers() async throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file, ["Rome"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    let container = try ModelContainer(
                        for: Schema(versionedSchema: Second.self), migrationPlan: SlowPlan.self,
                        configurations: ModelConfiguration(url: file))
                    let context = ModelContext(container)
                    context.insert(Second.Trip(title: "\(number)"))
                    try context.save()
                }
            }
            try await group.waitForAll()
        }
        let container = try ModelContainer(
            for: Schema(versionedSchema: Second.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let trips = try context.fetch(FetchDescriptor<Second.Trip>(sortBy: [SortDescriptor(\.title)]))
        #expect(trips.map(\.title) == ["0", "1", "2", "3", "Rome!"])
    }

    /// Proves: S80
    @Test("A save of a program with the old schema while the stages run is not lost")
    func disturbed() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try old(file, ["Rome"])
        let save = { @Sendable in try old(file, ["Oslo"]) }
        let error = #expect(throws: ModelError.self) {
            try DisturbedPlan.$disturbance.withValue(save) { try disturbedContainer(file) }
        }
        #expect(error?.kind == .loadIssueModelContainer)
        // Otherwise the save failed.
        #expect("\(error as Any)".contains("Somebody else changed it meanwhile"), "\(error as Any)")
        let context = ModelContext(try disturbedContainer(file))
        let trips = try context.fetch(FetchDescriptor<Second.Trip>(sortBy: [SortDescriptor(\.title)]))
        #expect(trips.map(\.title) == ["Oslo", "Rome"])
        let files = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(!files.contains { $0.hasPrefix(".\(file.lastPathComponent).migration-") })
    }

    private func disturbedContainer(_ file: URL) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: Second.self), migrationPlan: DisturbedPlan.self,
            configurations: ModelConfiguration(url: file))
    }

    /// Proves: S77
    @Test("A newer store is refused")
    func newer() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        _ = try ModelContainer(
            for: Schema(versionedSchema: Third.self), configurations: ModelConfiguration(url: file))
        let error = #expect(throws: ModelError.self) {
            try ModelContainer(
                for: Schema(versionedSchema: First.self), configurations: ModelConfiguration(url: file))
        }
        #expect(error?.kind == .backwardMigration)
    }
}
