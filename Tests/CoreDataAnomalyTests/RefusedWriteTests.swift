// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves that the system refuses, because of a full disk, a lock or missing rights, save nothing and can be repeated.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@Suite("Saves that are refused") struct RefusedWriteTests {
    private func boxes(_ warehouse: Warehouse) throws -> Int {
        try warehouse.withContext { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box")) }
    }

    @Test("a database at its greatest size refuses a save whole, and takes the next one") func full() throws {
        let warehouse = try Warehouse(boxes: 5)
        let pages = try warehouse.bytes().count / 4096
        let options: [AnyHashable: Any] = [NSSQLitePragmasOption: ["max_page_count": pages + 4]]
        try warehouse.withContext(options: options) { context in
            Warehouse.fill(context, 500)
            let error = failure { try context.save() }
            expectRefusal(error, CocoaError.fileWriteOutOfSpace.rawValue, context)
            context.rollback()
            Warehouse.fill(context, 1)
            try context.save()
        }
        #expect(try boxes(warehouse) == 6)
        try expectIntegrity(warehouse)
    }

    @Test("a full disk refuses a save whole", .enabled(if: geteuid() == 0, "only root can mount a small disk"))
    func fullDisk() throws {
        let warehouse = try Warehouse(boxes: 5)
        let disk = try SmallDisk.mounted("512k", in: warehouse.folder)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let url = disk.place("Store.sqlite")
        try FileManager.default.copyItem(at: warehouse.url, to: url)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        Warehouse.fill(context, 2000)
        let error = failure { try context.save() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(String(describing: error))")
        #expect(context.hasChanges)
        context.rollback()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box")) == 5)
        try coordinator.remove(store)
        let connection = try Connection(url: url)
        #expect(try connection.integrityCheck().isEmpty)
        try connection.close()
    }

    @Test(
        "a new store that finds no room leaves no files",
        .enabled(if: geteuid() == 0, "only root can mount a small disk"))
    func fullDiskAtFirst() throws {
        let warehouse = try Warehouse(boxes: nil)
        let disk = try SmallDisk.mounted("16k", in: warehouse.folder)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let error = failure {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: disk.place("Store.sqlite"))
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(String(describing: error))")
        #expect(try disk.files() == [])
    }

    // CoreDataTests/Relational/OpeningStoresTests.swift shows that the timeout is the requested one.
    @Test("a locked store refuses a save after its timeout, and takes it when the lock is gone")
    func locked() throws {
        let warehouse = try Warehouse(boxes: 5)
        try warehouse.withContext(options: [NSPersistentStoreTimeoutOption: 0.1]) { context in
            let other = try Connection(url: warehouse.url)
            try other.begin(.immediate)
            Warehouse.fill(context, 1)
            let error = failure { try context.save() }
            expectRefusal(error, NSPersistentStoreTimeoutError, context)
            try other.rollback()
            try other.close()
            try context.save()
        }
        #expect(try boxes(warehouse) == 6)
    }

    @Test("a store that another program has locked whole cannot be opened")
    func lockedWhole() throws {
        let warehouse = try Warehouse(boxes: 5)
        let other = try Connection(url: warehouse.url)
        _ = try other.setJournalMode(.delete)
        try other.begin(.exclusive)
        let error = failure {
            try warehouse.withContext(options: [NSPersistentStoreTimeoutOption: 0.1]) { _ in }
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSPersistentStoreTimeoutError, "\(String(describing: error))")
        try other.rollback()
        try other.close()
        #expect(try boxes(warehouse) == 5)
    }

    @Test("a store opened read-only is not changed by a save") func readOnly() throws {
        let warehouse = try Warehouse(boxes: 5)
        let before = try warehouse.content()
        try warehouse.withContext(options: [NSReadOnlyPersistentStoreOption: true]) { context in
            Warehouse.fill(context, 1)
            let error = failure { try context.save() }
            expectRefusal(error, CocoaError.fileWriteNoPermission.rawValue, context)
            context.rollback()
            let box = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box"))[0]
            box.setValue(99, forKey: "small")
            expectRefusal(failure { try context.save() }, CocoaError.fileWriteNoPermission.rawValue, context)
        }
        #expect(try warehouse.content() == before)
    }

    @Test("a store without a row for its keys refuses a save whole") func keysLost() throws {
        let warehouse = try Warehouse(boxes: 5)
        try warehouse.withContext { context in
            try warehouse.edit("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Box'")
            Warehouse.fill(context, 1)
            let error = failure { try context.save() }
            expectRefusal(error, NSPersistentStoreOperationError, context)
        }
    }

    // Root may read and write everything, so the attempts are made by a process that first drops its rights.
    @Test("without rights a store cannot be opened or changed, and the error says which right is missing")
    func rights() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let code = try RefusedWriteTests.attemptsWithoutRights()
            exit(code)
        }
    }

    /// - Returns: 0, or the number of the attempt with a wrong result.
    static func attemptsWithoutRights() throws -> Int32 {
        let warehouse = try Warehouse(boxes: 5)
        let manager = FileManager.default
        func attempt(_ file: Int, _ folder: Int, options: [AnyHashable: Any]? = nil, saves: Bool = true) throws
            -> NSError?
        {
            try manager.setAttributes([.posixPermissions: file], ofItemAtPath: warehouse.url.path)
            try manager.setAttributes([.posixPermissions: folder], ofItemAtPath: warehouse.folder.path)
            let isRoot = getuid() == 0
            if isRoot { seteuid(65534) }
            defer { if isRoot { seteuid(0) } }
            return failure {
                try warehouse.withContext(options: options) { context in
                    _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box"))
                    guard saves else { return }
                    Warehouse.fill(context, 1)
                    try context.save()
                }
            }
        }
        let before = try warehouse.bytes()
        let unreadable = try attempt(0o000, 0o777)
        guard unreadable?.domain == NSCocoaErrorDomain, unreadable?.code == CocoaError.fileReadNoPermission.rawValue
        else { return 1 }
        let unwritable = try attempt(0o444, 0o777)
        guard unwritable?.domain == NSCocoaErrorDomain, unwritable?.code == CocoaError.fileWriteNoPermission.rawValue
        else { return 2 }
        guard try attempt(0o444, 0o777, options: [NSReadOnlyPersistentStoreOption: true], saves: false) == nil else {
            return 3
        }
        guard try attempt(0o444, 0o555, options: [NSReadOnlyPersistentStoreOption: true], saves: false) == nil else {
            return 4
        }
        let closed = try attempt(0o666, 0o000)
        guard closed?.domain == NSCocoaErrorDomain else { return 5 }
        guard try warehouse.bytes() == before else { return 6 }
        // In a read-only folder a new store cannot be made.
        try manager.removeItem(at: warehouse.url)
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: warehouse.folder.path)
        if getuid() == 0 { seteuid(65534) }
        let new = failure { try warehouse.withContext { _ in } }
        if getuid() == 0 { seteuid(0) }
        guard new?.domain == NSCocoaErrorDomain else { return 7 }
        guard
            try manager.contentsOfDirectory(atPath: warehouse.folder.path).filter({
                !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal")
            }).isEmpty
        else { return 8 }
        return 0
    }

    // MARK: Parts

    private func expectRefusal(_ error: NSError?, _ code: Int, _ context: NSManagedObjectContext) {
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(context.hasChanges)
    }

    private func expectIntegrity(_ warehouse: Warehouse) throws {
        let connection = try Connection(url: warehouse.url)
        #expect(try connection.integrityCheck().isEmpty)
        try connection.close()
    }
}

@Suite("Programs that are killed") struct KilledProgramTests {
    @Test("a save that was cut off by a kill is there whole or not at all", arguments: [3, 11, 29, 60])
    func killed(milliseconds: Int) async throws {
        let warehouse = try Warehouse(boxes: 0)
        let path = warehouse.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            try KilledProgramTests.saveUntilKilled(path, milliseconds)
        }
        let connection = try Connection(url: warehouse.url)
        #expect(try connection.integrityCheck().isEmpty)
        let partial = try connection.rows("SELECT ZMEDIUM, COUNT(*) FROM ZBOX GROUP BY ZMEDIUM HAVING COUNT(*) <> 40")
        #expect(partial.isEmpty)
        let loose = try connection.value("SELECT COUNT(*) FROM ZBOX WHERE ZSHELF NOT IN (SELECT Z_PK FROM ZSHELF)")?
            .integerValue
        #expect(loose == 0)
        try connection.close()
        try warehouse.withContext { context in
            expectEmpty(Warehouse.readEverything(context))
            Warehouse.fill(context, 3)
            try context.save()
        }
    }

    private func expectEmpty(_ errors: [NSError]) { #expect(errors.isEmpty) }

    /// Saves boxes, forty at a time, all with the same number; is killed during a save.
    static func saveUntilKilled(_ path: String, _ milliseconds: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let url = URL(filePath: path).appending(path: "Store.sqlite")
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        var round = 0
        while true {
            Warehouse.fill(context, 40)
            for box in context.insertedObjects where box.entity.attributesByName["medium"] != nil {
                box.setValue(round, forKey: "medium")
            }
            try context.save()
            round += 1
            guard round == 2 else { continue }
            // From a separate thread, so that it comes in the midst of the work.
            Thread.detachNewThread {
                usleep(UInt32(milliseconds) * 1000)
                kill(getpid(), SIGKILL)
            }
        }
    }
}
