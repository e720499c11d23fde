// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files of a coordinator that ends without removing its stores.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Proves: Stores-K21
@Suite("A coordinator that ends with its stores") struct ReleasedConnectionTests {
    /// The descriptors of files whose path begins with that of the store.
    private static func openFiles(of url: URL) throws -> [String] {
        let folder = "/proc/self/fd"
        let path = url.resolvingSymlinksInPath().path
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return file.flatMap { $0.hasPrefix(path) ? $0 : nil }
        }
    }

    @Test("closes its files after a condition that follows a relationship") func conditionOverRelationship() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Store.sqlite")
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: BookshopModel.make())
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "author.name == %@", "Ada")
            request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
            #expect(try context.fetch(request).isEmpty)
            #expect(try !Self.openFiles(of: url).isEmpty)
        }
        #expect(try Self.openFiles(of: url) == [])
    }
}
