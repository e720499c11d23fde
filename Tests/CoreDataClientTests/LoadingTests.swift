// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Loading the stores of a container from a task.

import CoreData
import Foundation
import Testing

@Suite("Loading stores from a task") struct LoadingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "Loading-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func description(_ name: String, asynchronous: Bool = false) -> NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: folder.appending(path: name))
        description.shouldAddStoreAsynchronously = asynchronous
        return description
    }

    private func names(_ container: NSPersistentContainer) -> [String] {
        container.persistentStoreCoordinator.persistentStores.compactMap { $0.url?.lastPathComponent }.sorted()
    }

    /// Proves: N10
    @Test("every store is open afterwards, those that load asynchronously as well") func all() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model)
        container.persistentStoreDescriptions = [
            description("1.sqlite", asynchronous: true), description("2.sqlite"), description("3.xml"),
            description("4.sqlite", asynchronous: true),
        ]
        container.persistentStoreDescriptions[2].type = NSXMLStoreType
        try await container.loadPersistentStores()
        #expect(names(container) == ["1.sqlite", "2.sqlite", "3.xml", "4.sqlite"])
        try await container.loadPersistentStores()
        #expect(names(container).count == 4)
    }

    /// Proves: N10
    @Test("a failing store is an error after the others are open, and is tried again", arguments: [false, true])
    func failing(asynchronous: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let damaged = folder.appending(path: "Damaged.sqlite")
        try Data("no database, whatever its length is, and it is long enough for a header of a file".utf8)
            .write(to: damaged)
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model)
        container.persistentStoreDescriptions = [
            description("Damaged.sqlite", asynchronous: asynchronous), description("Good.sqlite"),
        ]
        let error = await #expect(throws: CocoaError.self) { try await container.loadPersistentStores() }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(names(container) == ["Good.sqlite"])
        try FileManager.default.removeItem(at: damaged)
        try await container.loadPersistentStores()
        #expect(names(container) == ["Damaged.sqlite", "Good.sqlite"])
    }

    /// Proves: N10
    @Test("a container without descriptions has nothing to wait for, and a subclass loads in its own way")
    func subclass() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let empty = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model)
        empty.persistentStoreDescriptions = []
        try await empty.loadPersistentStores()
        #expect(names(empty).isEmpty)

        let container = RecordingContainer(name: "Shelf", managedObjectModel: Shelf.model)
        container.persistentStoreDescriptions = [description("Shelf.sqlite")]
        try await container.loadPersistentStores()
        let coordinator = container.persistentStoreCoordinator
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
    }

    /// Proves: N10
    @Test("tasks that load one container at the same time all come back") func together() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: Shelf.model)
        container.persistentStoreDescriptions = (1...3).map {
            description("\($0).sqlite", asynchronous: $0 == 2)
        }
        let ends = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { (try? await container.loadPersistentStores()) != nil } }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(ends.count == 4)
        #expect(Set(names(container)) == ["1.sqlite", "2.sqlite", "3.sqlite"])
    }
}

/// A container that opens its stores with a history.
private final class RecordingContainer: NSPersistentContainer, @unchecked Sendable {
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        }
        super.loadPersistentStores(completionHandler: block)
    }
}
