// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whole stores with full disks, missing rights, damaged sources, and programs that are killed.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Opens a file, returns its contents, and closes it.
private func account(at url: URL) throws -> [String] {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
    let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    defer { try? coordinator.remove(store) }
    return try Museum.account(coordinator)
}

@Suite("Whole stores on a full disk", .enabled(if: geteuid() == 0, "only root can mount a small disk"))
struct FullDiskTests {
    private func disk(_ museum: Museum, _ size: String = "700k") throws -> SmallDisk {
        try SmallDisk.mounted(size, in: museum.stack.folder)
    }

    @Test("a backup that finds no room leaves no files", arguments: [0, 150_000])
    func backup(scans: Int) throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: scans > 0 ? 60 : 6000, scans: scans)
        let disk = try disk(museum)
        let error = failure { try museum.store.backup(to: disk.place("Backup.sqlite")) }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(String(describing: error))")
        #expect(try disk.files() == [])
        _ = museum.insert("Room", "new")
        #expect(museum.context.saveFailure() == nil)
    }

    @Test("a migration that finds no room leaves the old store in use", arguments: [0, 150_000])
    func migration(scans: Int) throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: scans > 0 ? 60 : 6000, scans: scans)
        let old = museum.store
        let disk = try disk(museum)
        let room = try #require(try museum.object("Room", "hall"))
        room.setValue("changed", forKey: "name")
        let error = failure {
            try museum.coordinator.migratePersistentStore(
                old, to: disk.place("Copy.sqlite"), options: nil, withType: NSSQLiteStoreType)
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(String(describing: error))")
        #expect(try disk.files() == [])
        #expect(museum.coordinator.persistentStores == [old])
        #expect(museum.context.saveFailure() == nil)
        #expect(room.objectID.persistentStore === old)
    }

    @Test("a store that cannot be replaced for want of room is as it was")
    func replacement() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 30)
        let before = try museum.account()
        let disk = try disk(museum)
        try museum.store.backup(to: disk.place("Store.sqlite"))
        try museum.fill(exhibits: 5000)
        let error = failure {
            try museum.coordinator.replacePersistentStore(
                at: disk.place("Store.sqlite"), withPersistentStoreFrom: museum.stack.url, ofType: NSSQLiteStoreType)
        }
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(String(describing: error))")
        #expect(try disk.files() == ["Store.sqlite"])
        #expect(try account(at: disk.place("Store.sqlite")) == before)
    }
}

@Suite("Whole stores that are damaged") struct DamagedSourceTests {
    @Test("a damaged store migrates, or is refused and stays in use", arguments: 0..<6)
    func damaged(seed: UInt64) throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 400)
        let store = museum.store
        try museum.coordinator.remove(store)
        var bytes = [UInt8](try Data(contentsOf: museum.stack.url))
        var random = Seeded(state: seed)
        for _ in 0..<2000 {
            bytes[Int.random(in: 8192..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try Data(bytes).write(to: museum.stack.url)
        let opening = failure {
            try museum.coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: museum.stack.url)
        }
        guard opening == nil else { return try expectRestored(museum, opening) }
        for kind in StoreKind.builtIn {
            let old = museum.store
            let error = failure {
                try museum.coordinator.migratePersistentStore(
                    old, to: museum.place("Copy\(kind)"), options: nil, withType: kind.type)
            }
            if error == nil {
                #expect(museum.coordinator.persistentStores.map(\.type) == [kind.type])
                break
            }
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(museum.coordinator.persistentStores == [old])
            #expect(try museum.files().filter { !$0.hasPrefix("Store.sqlite") } == [])
        }
    }

    /// A store that cannot be opened can be destroyed, too.
    private func expectRestored(_ museum: Museum, _ error: NSError?) throws {
        #expect(error?.domain == NSCocoaErrorDomain)
        try museum.coordinator.destroyPersistentStore(
            at: museum.stack.url, ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
        #expect(try account(at: museum.stack.url) == [])
    }

    @Test("a damaged store is destroyed, and replaced by a backup", arguments: [true, false])
    func replaced(destroys: Bool) throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 150_000)
        let before = try museum.account()
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        try museum.coordinator.remove(museum.store)
        let data = try Data(contentsOf: museum.stack.url)
        try data.prefix(data.count / 2).write(to: museum.stack.url)
        if destroys {
            try museum.coordinator.destroyPersistentStore(at: museum.stack.url, ofType: NSSQLiteStoreType)
            #expect(try account(at: museum.stack.url) == [])
        }
        try museum.coordinator.replacePersistentStore(
            at: museum.stack.url, withPersistentStoreFrom: museum.place("Backup.sqlite"), ofType: NSSQLiteStoreType)
        #expect(try account(at: museum.stack.url) == before)
    }

    @Test("a store with missing large data is not migrated, but can be backed up")
    func missingData() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 150_000)
        try FileManager.default.removeItem(at: museum.place(".Store_SUPPORT"))
        let old = museum.store
        for kind in StoreKind.builtIn {
            let error = failure {
                try museum.coordinator.migratePersistentStore(
                    old, to: museum.place("Copy\(kind)"), options: nil, withType: kind.type)
            }
            #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        }
        #expect(museum.coordinator.persistentStores == [old])
        #expect(try museum.files().filter { !$0.hasPrefix("Store.sqlite") } == [])
        // Reads the file, not the coordinator's cache.
        let before = try account(at: museum.stack.url)
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        #expect(try account(at: museum.place("Backup.sqlite")) == before)
    }
}

@Suite("Whole stores without rights") struct WholeStoreRightsTests {
    @Test("a place without write permission is refused, and stays as it was")
    func rights() async {
        await #expect(processExitsWith: .success) {
            let code = try WholeStoreRightsTests.attempts()
            exit(code)
        }
    }

    /// - Returns: 0, or the number of the attempt with a wrong result.
    static func attempts() throws -> Int32 {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 150_000)
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        let before = try museum.account()
        let (url, other) = (museum.stack.url, NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make()))
        try museum.coordinator.remove(museum.store)
        let manager = FileManager.default
        func restrict(_ isRestricted: Bool) throws {
            for name in ["Store.sqlite", "Backup.sqlite"] {
                let mode = isRestricted ? 0o444 : 0o666
                try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: museum.place(name).path)
            }
            let mode = isRestricted ? 0o555 : 0o777
            try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: museum.stack.folder.path)
        }
        func attempt(_ body: () throws -> Void) throws -> NSError? {
            try restrict(true)
            let isRoot = getuid() == 0
            if isRoot { seteuid(65534) }
            let error = failure(body)
            if isRoot { seteuid(0) }
            try restrict(false)
            return error
        }
        let destroyed = try attempt { try other.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType) }
        guard destroyed?.domain == NSCocoaErrorDomain, try account(at: url) == before else { return 1 }
        let replaced = try attempt {
            try other.replacePersistentStore(
                at: url, withPersistentStoreFrom: museum.place("Backup.sqlite"), ofType: NSSQLiteStoreType)
        }
        guard replaced?.domain == NSCocoaErrorDomain, try account(at: url) == before else { return 2 }
        let files = try museum.files()
        let migrated = try attempt {
            let store = try other.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSReadOnlyPersistentStoreOption: true])
            defer { try? other.remove(store) }
            try other.migratePersistentStore(
                store, to: museum.place("Copy.sqlite"), options: nil, withType: NSSQLiteStoreType)
        }
        guard migrated?.domain == NSCocoaErrorDomain, try museum.files() == files else { return 3 }
        let copied = try attempt {
            let store = try other.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSReadOnlyPersistentStoreOption: true])
            defer { try? other.remove(store) }
            try store.backup(to: museum.place("Copy.sqlite"))
        }
        guard copied?.domain == NSCocoaErrorDomain, try museum.files() == files else { return 4 }
        return 0
    }
}

@Suite("Whole stores in programs that are killed") struct KilledUpkeepTests {
    @Test("a store that was being replaced is the old one or the new one", arguments: [2, 7, 15, 31])
    func replacement(milliseconds: Int) async throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 30, scans: 120_000)
        let small = try museum.account()
        try museum.store.backup(to: museum.place("Small.sqlite"))
        try museum.fill(exhibits: 300)
        let large = try museum.account()
        try museum.store.backup(to: museum.place("Large.sqlite"))
        try museum.store.backup(to: museum.place("Target.sqlite"))
        let path = museum.stack.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            try KilledUpkeepTests.replaceUntilKilled(path, milliseconds)
        }
        let found = try account(at: museum.place("Target.sqlite"))
        #expect(found == small || found == large)
    }

    static func replaceUntilKilled(_ path: String, _ milliseconds: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        let folder = URL(filePath: path)
        killSoon(milliseconds)
        while true {
            for source in ["Small.sqlite", "Large.sqlite"] {
                try coordinator.replacePersistentStore(
                    at: folder.appending(path: "Target.sqlite"),
                    withPersistentStoreFrom: folder.appending(path: source),
                    ofType: NSSQLiteStoreType)
            }
        }
    }

    @Test("the place of a store that was being migrated has nothing, or all of it", arguments: [2, 9, 20, 45])
    func migration(milliseconds: Int) async throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 300, scans: 0)
        let before = try museum.account()
        try museum.coordinator.remove(museum.store)
        let path = museum.stack.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            try KilledUpkeepTests.migrateUntilKilled(path, milliseconds)
        }
        #expect(try account(at: museum.stack.url) == before)
        let copies = try museum.files().filter { $0.hasPrefix("Copy") && $0.hasSuffix(".sqlite") }
        for copy in copies { #expect(try account(at: museum.place(copy)) == before) }
    }

    static func migrateUntilKilled(_ path: String, _ milliseconds: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        let folder = URL(filePath: path)
        var store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appending(path: "Store.sqlite"))
        killSoon(milliseconds)
        var number = 0
        while true {
            number += 1
            store = try coordinator.migratePersistentStore(
                store, to: folder.appending(path: "Copy\(number).sqlite"), options: nil, withType: NSSQLiteStoreType)
        }
    }

    /// From a separate thread, so that it comes in the midst of the work.
    private static func killSoon(_ milliseconds: Int) {
        Thread.detachNewThread {
            usleep(UInt32(milliseconds) * 1000)
            kill(getpid(), SIGKILL)
        }
    }
}
