// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files of a program that was killed while it made a store can be replaced by a new store.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@Suite("A store with a killed creation") struct KilledCreationTests {
    @Test("is made again when the rollback of its journal leaves an empty file") func emptied() throws {
        let warehouse = try Warehouse(boxes: nil)
        let half = warehouse.folder.appending(path: "Half.sqlite").path
        let connection = try Connection(path: half)
        // More pages than the cache takes: some of them are in the file before the commit.
        try connection.execute(
            "PRAGMA cache_size = 1; BEGIN; CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(400000))")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: half + suffix, toPath: warehouse.url.path + suffix)
        }
        try connection.rollback()
        try connection.close()
        #expect(try warehouse.bytes().count > 0)
        let count = try warehouse.withContext { context in
            Warehouse.fill(context, 2)
            try context.save()
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box"))
        }
        #expect(count == 2)
    }

    @Test(
        "is made again without the temporary file of the first attempt", arguments: [NSXMLStoreType, NSBinaryStoreType])
    func temporaryFile(type: String) throws {
        let warehouse = try Warehouse(boxes: nil)
        let left = warehouse.folder.appending(path: ".Store.sqlite.\(UUID().uuidString).tmp")
        try Data([1, 2, 3]).write(to: left)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: warehouse.url)
        #expect(!FileManager.default.fileExists(atPath: left.path))
        try coordinator.remove(store)
    }
}
