// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The file of a store whose creation failed, when another program may use it.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Proves: Stores-G1
@Suite("After the creation of a store failed") struct FailedCreationTests {
    private let folder: URL
    private var url: URL { folder.appending(path: "Store.sqlite") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func isThere() -> Bool { FileManager.default.fileExists(atPath: url.path) }
    private func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Leaves the file of an attempt that failed before its transaction.
    private func leaveDatabaseWithoutTables() throws {
        let connection = try Connection(url: url)
        try connection.setJournalMode(.wal)
        try connection.close()
    }

    @Test("a store that another program has made in that time stays", arguments: [false, true], ["WAL", "DELETE"])
    func storeOfAnother(wasThere: Bool, mode: String) throws {
        defer { remove() }
        let options = [NSSQLitePragmasOption: ["journal_mode": mode]]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NamedModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        NSEntityDescription.insertNewObject(forEntityName: "Named", into: context).setValue("kept", forKey: "name")
        try context.save()
        FailedCreation.discard(url, wasThere: wasThere)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Named")) == 1)
        try coordinator.remove(store)
        FailedCreation.discard(url, wasThere: wasThere)
        let connection = try Connection(url: url)
        #expect(try connection.value("SELECT ZNAME FROM ZNAMED")?.textValue == "kept")
        #expect(try connection.journalMode() == (mode == "WAL" ? .wal : .delete))
        try connection.close()
    }

    @Test("a database without tables is removed, or emptied where a file was", arguments: [false, true])
    func withoutTables(wasThere: Bool) throws {
        defer { remove() }
        try leaveDatabaseWithoutTables()
        FailedCreation.discard(url, wasThere: wasThere)
        #expect(isThere() == wasThere)
        if wasThere { #expect(try Data(contentsOf: url).isEmpty) }
    }

    @Test("a database that another program is about to fill stays") func inUse() throws {
        defer { remove() }
        try leaveDatabaseWithoutTables()
        let other = try Connection(url: url)
        try other.execute("BEGIN IMMEDIATE; CREATE TABLE T (N)")
        FailedCreation.discard(url, wasThere: false)
        #expect(isThere())
        try other.execute("COMMIT")
        try other.close()
        let connection = try Connection(url: url)
        #expect(try connection.tableExists("T"))
        try connection.close()
    }
}
