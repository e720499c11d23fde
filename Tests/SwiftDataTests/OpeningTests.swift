// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Openers of one file at the same time, and files that replace removed ones.

import Foundation
import SwiftData
import Testing

@Suite("Several open one file", .serialized)
struct OpeningTests {
    /// Opens the file, and saves one model.
    private static func use(_ file: URL) throws {
        let context = ModelContext(try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file)))
        context.insert(Tag("new"))
        try context.save()
    }

    private func count(_ file: URL) throws -> Int {
        try ModelContext(try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file)))
            .fetchCount(FetchDescriptor<Tag>())
    }

    /// Proves: S69, S71
    @Test("tasks that open a new file at once get the one store that is made", arguments: [2, 6])
    func tasks(openers: Int) async throws {
        for _ in 0..<10 {
            let file = Stack.file()
            defer { Stack.remove(file) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<openers { group.addTask { try Self.use(file) } }
                try await group.waitForAll()
            }
            #expect(try count(file) == openers)
        }
    }

    /// Proves: S69, S76
    @Test("so do tasks with a plan") func plan() async throws {
        for _ in 0..<10 {
            let file = Stack.file()
            defer { Stack.remove(file) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let context = ModelContext(
                            try ModelContainer(
                                for: Schema(versionedSchema: Indexed.self), migrationPlan: ParcelPlan.self,
                                configurations: ModelConfiguration(url: file)))
                        context.insert(Indexed.Parcel(code: "\(number)"))
                        try context.save()
                    }
                }
                try await group.waitForAll()
            }
            let container = try ModelContainer(
                for: Schema(versionedSchema: Indexed.self), configurations: ModelConfiguration(url: file))
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<Indexed.Parcel>()) == 4)
        }
    }

    private enum ParcelPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [Narrow.self, Indexed.self] }
        static var stages: [MigrationStage] {
            [.lightweight(fromVersion: Narrow.self, toVersion: Indexed.self)]
        }
    }

    /// The file that the tests of one process share with the processes that it starts.
    private static func sharedFile(_ process: Int32) -> URL {
        FileManager.default.temporaryDirectory.appending(path: "SwiftDataTests-open-\(process)/library.store")
    }

    private func openInProcess() async {
        await #expect(processExitsWith: .success) { try Self.use(Self.sharedFile(getppid())) }
    }

    /// Proves: S69
    @Test("processes that open a new file at once get the one store that is made") func processes() async throws {
        let file = Self.sharedFile(getpid())
        for _ in 0..<2 {
            defer { Stack.remove(file) }
            async let first: Void = openInProcess()
            async let second: Void = openInProcess()
            async let third: Void = openInProcess()
            _ = await (first, second, third)
            #expect(try count(file) == 3)
        }
    }

    /// Proves: S65
    @Test(
        "a file that was removed while a container has it open is made anew, without its records",
        arguments: [true, false])
    func removed(withOthersAtOnce: Bool) async throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        let old = ModelContext(try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: file)))
        for number in 0..<100 { old.insert(Tag("old \(number)")) }
        try old.save()
        try FileManager.default.removeItem(at: file)
        let openers = withOthersAtOnce ? 4 : 1
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<openers { group.addTask { try Self.use(file) } }
            try await group.waitForAll()
        }
        #expect(try count(file) == openers)
        // The first container continues with the unlinked file.
        old.insert(Tag("late"))
        try old.save()
        #expect(try old.fetchCount(FetchDescriptor<Tag>()) == 101)
        #expect(try count(file) == openers)
    }

    /// Proves: S65
    @Test("the left log of a removed store is no part of the new store") func leftLog() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        try Self.use(file)
        try FileManager.default.removeItem(at: file)
        for suffix in ["-wal", "-shm"] {
            try Data(repeating: 7, count: 40_000).write(to: URL(filePath: file.path + suffix))
        }
        try Self.use(file)
        #expect(try count(file) == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(names.allSatisfy { $0.hasPrefix("library.store") }, "\(names)")
    }
}
