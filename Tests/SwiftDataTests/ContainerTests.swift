// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Where stores are, which errors prevent their opening, and what another container sees.

import Foundation
import SQLiteDriver
import SwiftData
import Testing

enum Narrow: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model
    final class Parcel {
        var code: String
        var weight: Int = 0
        var size = Size(width: 1)

        init(code: String) { self.code = code }
    }

    struct Size: Codable, Equatable { var width: Int }
}

/// The same with an index and a constraint, and a structure with another member.
enum Indexed: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 1, 0) }
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model
    final class Parcel {
        #Index<Parcel>([\.weight])
        @Attribute(.unique) var code: String
        var weight: Int = 0
        var size = Size(width: 1, depth: nil)

        init(code: String) { self.code = code }
    }

    struct Size: Codable, Equatable {
        var depth: Int?
        var width: Int

        init(width: Int, depth: Int?) {
            self.width = width
            self.depth = depth
        }
    }
}

/// The class has a mandatory property without a value for old records.
enum Impossible: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model
    final class Parcel {
        var code: String
        var weight: Date
        var size = Narrow.Size(width: 1)

        init(code: String, weight: Date) {
            self.code = code
            self.weight = weight
        }
    }
}

enum OnlyImpossible: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Impossible.self] }
    static var stages: [MigrationStage] { [] }
}

@Suite("Containers open files, and explain failures")
struct ContainerTests {
    private func narrow(_ file: URL) throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: Narrow.self), configurations: ModelConfiguration(url: file)))
    }

    private func addParcel(width: Int, _ file: URL) throws {
        let context = try narrow(file)
        let parcel = Narrow.Parcel(code: "a")
        parcel.size = Narrow.Size(width: width)
        context.insert(parcel)
        try context.save()
    }

    /// Proves: S65
    @Test("a file is named after its configuration and lies in the application support folder") func places() throws {
        let folder = try #require(
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first)
        #expect(ModelConfiguration().url.path == folder.appending(path: "default.store").path)
        #expect(ModelConfiguration("notes").url.path == folder.appending(path: "notes.store").path)
        let file = Stack.file()
        #expect(ModelConfiguration(url: file).url == file)
        defer { Stack.remove(file) }
        #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
        _ = try narrow(file)
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(ModelConfiguration("x", isStoredInMemoryOnly: true).url.path == "/dev/null")
    }

    /// Proves: S69, S31
    @Test("two containers on one file see each other's saves, and the second one is notified") func twoContainers()
        async throws
    {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let (first, second) = (try narrow(file), try narrow(file))
        let told = Told()
        let token = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: second.container, queue: nil
        ) { _ in told.raise() }
        defer { NotificationCenter.default.removeObserver(token) }
        first.insert(Narrow.Parcel(code: "a"))
        try first.save()
        #expect(try second.fetch(FetchDescriptor<Narrow.Parcel>()).map(\.code) == ["a"])
        for _ in 0..<200 where !told.isRaised { try await Task.sleep(for: .milliseconds(10)) }
        #expect(told.isRaised)
    }

    /// Proves: S69, S31
    @Test("the save of another program is seen, and announced; unsaved changes stay") func twoPrograms() async throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let context = try narrow(file)
        let parcel = Narrow.Parcel(code: "a")
        context.insert(parcel)
        try context.save()
        let told = Told()
        let token = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: context.container, queue: nil
        ) { _ in told.raise() }
        defer { NotificationCenter.default.removeObserver(token) }
        parcel.weight = 3
        await #expect(processExitsWith: .success) { [path = file.path as String] in
            let container = try ModelContainer(
                for: Schema(versionedSchema: Narrow.self),
                configurations: ModelConfiguration(url: URL(filePath: path)))
            let context = ModelContext(container)
            for parcel in try context.fetch(FetchDescriptor<Narrow.Parcel>()) { parcel.code = "b" }
            context.insert(Narrow.Parcel(code: "c"))
            try context.save()
        }
        for _ in 0..<500 where !told.isRaised { try await Task.sleep(for: .milliseconds(10)) }
        #expect(told.isRaised)
        #expect(try context.fetch(FetchDescriptor<Narrow.Parcel>()).count == 2)
        #expect(parcel.weight == 3)
        try context.save()
        let other = ModelContext(context.container)
        let after = try other.fetch(FetchDescriptor<Narrow.Parcel>())
        #expect(after.map(\.code) == ["b", "c"])
        #expect(after.map(\.weight) == [3, 0])
    }

    /// Proves: S71
    @Test("a file that is no store is named, with the cause, and stays as it is") func noStore() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let bytes = Data("This is no database, and never was one.".utf8)
        try bytes.write(to: file)
        let error = #expect(throws: ModelError.self) { try narrow(file) }
        #expect(error?.kind == .loadIssueModelContainer)
        #expect(error?.description.contains(file.path) == true)
        #expect(error?.underlyingError != nil)
        #expect(try Data(contentsOf: file) == bytes)
    }

    /// Proves: S78, S71
    @Test("a store of no version of the plan that cannot be inferred is described by the entity that differs")
    func unknownVersion() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try addParcel(width: 1, file)
        let error = #expect(throws: ModelError.self) {
            try ModelContainer(
                for: Schema(versionedSchema: Impossible.self), migrationPlan: OnlyImpossible.self,
                configurations: ModelConfiguration(url: file))
        }
        #expect(error?.kind == .unknownSchema)
        #expect(error?.description.contains("Parcel") == true)
        let context = try narrow(file)
        #expect(try context.fetch(FetchDescriptor<Narrow.Parcel>()).map(\.code) == ["a"])
    }

    /// Proves: S81, S82
    @Test("a new index and a new constraint are in an old file; a structure gains a member") func indexes() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try addParcel(width: 7, file)
        let container = try ModelContainer(
            for: Schema(versionedSchema: Indexed.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let back = try context.fetch(FetchDescriptor<Indexed.Parcel>())
        #expect(back.map(\.size) == [Indexed.Size(width: 7, depth: nil)])
        let connection = try Connection(url: file, options: .init(access: .readOnly))
        let count = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZPARCEL'"
        #expect(try connection.value("\(count) AND sql LIKE '%ZWEIGHT%'")?.integerValue == 1)
        #expect(try connection.value("\(count) AND sql LIKE '%UNIQUE%ZCODE%'")?.integerValue == 1)
        try connection.close()
        context.insert(Indexed.Parcel(code: "a"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Indexed.Parcel>()) == 1)
    }

    /// Proves: S80
    @Test("duplicates that hinder a new constraint are named, and the file stays as it is") func duplicates() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        for width in [7, 8] { try addParcel(width: width, file) }
        let error = #expect(throws: ModelError.self) {
            try ModelContainer(
                for: Schema(versionedSchema: Indexed.self), configurations: ModelConfiguration(url: file))
        }
        #expect(error?.kind == .loadIssueModelContainer)
        let text = error?.description ?? ""
        #expect(text.contains("Parcel") && text.contains("code"), "\(text)")
        let old = try narrow(file)
        let widths = try old.fetch(FetchDescriptor<Narrow.Parcel>()).map(\.size.width)
        #expect(widths == [7, 8])
    }

    /// Proves: S73
    @Test("two classes of one name stop the program with both names") func sameNames() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Schema([Narrow.Parcel.self, Indexed.Parcel.self])
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Narrow.Parcel") && text.contains("Indexed.Parcel"))
    }

    /// Proves: S97
    @Test("batch deletions and updates are in the history") func batchHistory() throws {
        let context = try Stack.library()
        let before = try #require(
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
        try context.update(model: Book.self, set: \.pages, to: 1, where: #Predicate { $0.title == "Dune" })
        try context.delete(immediately: Book.self, where: #Predicate { $0.title == "Lists" })
        let later = try context.fetchHistory(
            HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > before }))
        var kinds: [String] = []
        for change in later.flatMap(\.changes) where change.changedPersistentIdentifier.entityName == "Book" {
            switch change {
            case .insert: kinds.append("insert")
            case .update: kinds.append("update")
            case .delete: kinds.append("delete")
            }
        }
        #expect(kinds == ["update", "delete"])
    }
}

private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false
    var isRaised: Bool { lock.withLock { isSet } }
    func raise() { lock.withLock { isSet = true } }
}
