// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A migration by rows holds one batch in memory, for any size of the store.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: Stores-K9
@Suite("Memory of migrations") struct MigrationMemoryTests {
    @Test("many rows need no more than a few do")
    func bounded() async throws {
        let stack = try Stack(.sqlite, PhotoModel.make(external: false))
        // 48 MB in 6,000 rows.
        for batch in 0..<12 {
            for number in 0..<500 {
                let data = Data(repeating: UInt8(truncatingIfNeeded: batch + number), count: 8_000)
                stack.insert("Photo").setValue(data, forKey: "data")
            }
            try stack.context.save()
            stack.context.reset()
        }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        // In a separate process, so that no other test's memory counts.
        await #expect(processExitsWith: .success) { [path = stack.url.path as String] in
            try MigrationMemoryTests.migrate(URL(filePath: path))
        }
    }

    static func migrate(_ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: PhotoModel.make(external: false))
        // Each connection may hold 16 MB of pages by default.
        let options = [NSSQLitePragmasOption: ["cache_size": "-1000"]]
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))  // forgets the peak
        let before = try peak()
        let copy = url.deletingLastPathComponent().appending(path: "Copy.sqlite")
        try coordinator.migratePersistentStore(store, to: copy, options: options, withType: NSSQLiteStoreType)
        let growth = try peak() - before
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo"))
        precondition(count == 6_000, "\(count) rows went over.")
        precondition(growth < 24_000, "The migration took \(growth) KB.")
    }

    /// The peak memory of the process, in KB.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        guard let value = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return value
    }
}
