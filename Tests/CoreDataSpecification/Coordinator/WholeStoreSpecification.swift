// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the effect of destroying or replacing a store, on all files that belong to it.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The error of a call; nil when it succeeds.
func failure(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}

extension Museum {
    /// Opens another coordinator on a file, returns its contents, and closes it.
    func account(at url: URL) throws -> [String] {
        let other = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        let store = try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        defer { try? other.remove(store) }
        return try Museum.account(other)
    }

    func hasLargeData(_ stem: String) -> Bool {
        FileManager.default.fileExists(atPath: place(".\(stem)_SUPPORT").path)
    }

    func size(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: place(name).path)[.size] as? Int
    }
}

@Suite("Destroying a store") struct DestroyedStoreSpecification {
    /// Proves: F137
    @Test("nothing is left but an empty file, in which a new store can be made")
    func destroyed() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let (old, url) = (museum.store, museum.stack.url)
        try museum.coordinator.remove(old)
        #expect(museum.hasLargeData("Store"))
        try museum.coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        #expect(try museum.files() == ["Store.sqlite"])
        #expect(try museum.size("Store.sqlite") == 0)
        let new = try museum.coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(try museum.account() == [])
        #expect(new.identifier != old.identifier)
    }

    /// Decided by `destroyPersistentStore(at:ofType:options:)` of an open store: `persistentStores` afterwards.
    @Test("a store that the coordinator has open is removed first", .tags(.assumed), arguments: StoreKind.builtIn)
    func open(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        try museum.fill()
        let (url, log) = (
            museum.coordinator.url(for: museum.store),
            NotificationLog(.NSPersistentStoreCoordinatorStoresDidChange, of: museum.coordinator)
        )
        guard kind != .inMemory else { return try leavesMemoryAlone(museum, url) }
        let old = museum.store
        try museum.coordinator.destroyPersistentStore(at: url, ofType: kind.type, options: nil)
        #expect(museum.coordinator.persistentStores.isEmpty)
        #expect(log.notifications.map { $0.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore] } == [[old]])
        try museum.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        #expect(try museum.account() == [])
    }

    private func leavesMemoryAlone(_ museum: Museum, _ url: URL) throws {
        try museum.coordinator.destroyPersistentStore(at: url, ofType: NSInMemoryStoreType)
        #expect(try museum.account().count == 26)
    }

    /// Decided by `destroyPersistentStore(at:type:)` of a place without a file: whether there is a file afterwards.
    /// Proves: F137
    @Test(
        "where there is no store, none is made", .tags(.assumed),
        arguments: ["/dev/null", "/tmp/OpenCoreData-none/none.sqlite"])
    func missing(path: String) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        try coordinator.destroyPersistentStore(at: URL(filePath: path), type: .sqlite)
        #expect(FileManager.default.fileExists(atPath: path) == (path == "/dev/null"))
    }

    /// Decided by `destroyPersistentStore(at:ofType:options:)` of a store that a second coordinator has open, with and
    /// without force.
    @Test("a store that somebody else has open is refused, unless it is forced", .tags(.assumed))
    func inUse() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        let other = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        let soon = [NSPersistentStoreTimeoutOption: 0.1]
        let error = failure {
            try other.destroyPersistentStore(at: museum.stack.url, ofType: NSSQLiteStoreType, options: soon)
        }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        #expect(try museum.account() == before)
        _ = museum.insert("Room", "new")
        #expect(museum.context.saveFailure() == nil)
        try other.destroyPersistentStore(
            at: museum.stack.url, ofType: NSSQLiteStoreType,
            options: [NSPersistentStoreForceDestroyOption: true, NSPersistentStoreTimeoutOption: 0.1])
        #expect(try museum.size("Store.sqlite") == 0)
        #expect(!museum.hasLargeData("Store"))
    }

    @Test("a file that is no store is refused, unless it is forced")
    func foreign() throws {
        let museum = try Museum(in: .sqlite)
        let place = museum.place("letter.txt")
        let text = Data(repeating: 65, count: 5000)
        try text.write(to: place)
        let error = failure { try museum.coordinator.destroyPersistentStore(at: place, ofType: NSSQLiteStoreType) }
        #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue)
        #expect(try Data(contentsOf: place) == text)
        try museum.coordinator.destroyPersistentStore(
            at: place, ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
        #expect(try museum.size("letter.txt") == 0)
        let unknown = failure { try museum.coordinator.destroyPersistentStore(at: place, ofType: "None") }
        #expect(unknown?.code == NSPersistentStoreInvalidTypeError)
    }

    @Test("large data of a neighbour with the same name stays")
    func neighbour() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        let neighbour = museum.place("Store.other")
        let other = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        try other.addPersistentStore(type: .sqlite, at: neighbour)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = other
        museum.insert("Exhibit", "large", in: context).setValue(Data(count: 300_000), forKey: "scan")
        try context.save()
        try other.destroyPersistentStore(at: neighbour, ofType: NSSQLiteStoreType)
        #expect(try museum.account() == before)
        try museum.coordinator.destroyPersistentStore(at: museum.stack.url, ofType: NSSQLiteStoreType)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: museum.stack.folder.path).sorted().filter {
                $0.hasSuffix("SUPPORT")
            } == [])
    }
}

@Suite("Replacing a store") struct ReplacedStoreSpecification {
    private func replace(_ museum: Museum, _ name: String, with source: String, options: [AnyHashable: Any]? = nil)
        throws
    {
        try museum.coordinator.replacePersistentStore(
            at: museum.place(name), destinationOptions: options, withPersistentStoreFrom: museum.place(source),
            sourceOptions: nil, ofType: NSSQLiteStoreType)
    }

    @Test("where there is nothing, a copy is made; the source stays in use")
    func copied() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        try replace(museum, "Copy.sqlite", with: "Store.sqlite")
        _ = museum.insert("Room", "new")
        try museum.context.save()
        #expect(try museum.account(at: museum.place("Copy.sqlite")) == before)
        #expect(museum.hasLargeData("Copy"))
        let copied = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: museum.place("Copy.sqlite"))
        #expect(copied[NSStoreUUIDKey] as? String == museum.store.identifier)
    }

    /// Decided by `replacePersistentStore(at:withPersistentStoreFrom:type:)` over an open store: `persistentStores` and
    /// external data.
    @Test("a backup is put back, over a store that the coordinator has open", .tags(.assumed))
    func restored() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        let scan = try #require(try museum.object("Exhibit", "exhibit 3"))
        scan.setValue(Data(count: 400_000), forKey: "scan")
        museum.context.delete(try #require(try museum.object("Exhibit", "exhibit 6")))
        try museum.context.save()
        try replace(museum, "Store.sqlite", with: "Backup.sqlite")
        #expect(museum.coordinator.persistentStores.isEmpty)
        try museum.coordinator.addPersistentStore(type: .sqlite, at: museum.stack.url)
        #expect(try museum.account() == before)
        // Large data that only the replaced store named is deleted.
        let data = museum.place(".Store_SUPPORT/_EXTERNAL_DATA").path
        let kept = museum.place(".Backup_SUPPORT/_EXTERNAL_DATA").path
        let names = try [data, kept].map { try FileManager.default.contentsOfDirectory(atPath: $0).sorted() }
        #expect(names[0] == names[1])
    }

    /// Decided by `replacePersistentStore(at:withPersistentStoreFrom:type:)` over a store of a second coordinator.
    @Test("a store that somebody else has open is not replaced", .tags(.assumed))
    func inUse() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        _ = museum.insert("Room", "new")
        try museum.context.save()
        let before = try museum.account()
        let other = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        let error = failure {
            try other.replacePersistentStore(
                at: museum.stack.url, destinationOptions: [NSPersistentStoreTimeoutOption: 0.1],
                withPersistentStoreFrom: museum.place("Backup.sqlite"), type: .sqlite)
        }
        #expect(error?.code == NSPersistentStoreTimeoutError)
        #expect(try museum.account() == before)
        #expect(try museum.files().filter { $0.hasSuffix("half") } == [])
    }

    @Test("without a source, or by itself, a store is not replaced, and stays open")
    func noSource() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let before = try museum.account()
        let missing = failure { try replace(museum, "Store.sqlite", with: "None.sqlite") }
        #expect(missing?.code == CocoaError.fileReadNoSuchFile.rawValue)
        let itself = failure { try replace(museum, "Store.sqlite", with: "Store.sqlite") }
        #expect(itself?.code == NSPersistentStoreOpenError)
        try Data("no store".utf8).write(to: museum.place("letter.txt"))
        let foreign = failure { try replace(museum, "Store.sqlite", with: "letter.txt") }
        #expect(foreign?.code == CocoaError.fileReadCorruptFile.rawValue)
        #expect(museum.coordinator.persistentStores.count == 1)
        #expect(try museum.account() == before)
        let over = failure { try replace(museum, "letter.txt", with: "Store.sqlite") }
        #expect(over?.code == CocoaError.fileReadCorruptFile.rawValue)
        #expect(try Data(contentsOf: museum.place("letter.txt")) == Data("no store".utf8))
    }

    @Test("two stores never share one folder of large data")
    func sharedFolder() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let error = failure { try replace(museum, "Store.backup", with: "Store.sqlite") }
        #expect(error?.code == NSPersistentStoreOpenError)
        #expect(try museum.files().filter { !$0.hasPrefix("Store.sqlite") } == [".Store_SUPPORT"])
    }
}

@Suite("Backups of open stores") struct StoreBackupSpecification {
    @Test("a backup opens as a store, and has the saved objects", arguments: ["WAL", "DELETE"])
    func opens(mode: String) throws {
        let museum = try Museum(in: .sqlite)
        try museum.stack.reopen(options: [NSSQLitePragmasOption: ["journal_mode": mode]])
        try museum.fill(scans: 200_000)
        let before = try museum.account()
        _ = museum.insert("Room", "unsaved")
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        #expect(try museum.account(at: museum.place("Backup.sqlite")) == before)
        #expect(museum.context.saveFailure() == nil)
        try museum.coordinator.destroyPersistentStore(at: museum.stack.url, ofType: NSSQLiteStoreType)
        #expect(try museum.account(at: museum.place("Backup.sqlite")) == before)
    }

    @Test("a SQLite store in memory can be backed up; one of another kind cannot")
    func memory() throws {
        let museum = try Museum(in: .inMemory)
        let error = failure { try museum.store.backup(to: museum.place("Backup.sqlite")) }
        #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
        let store = museum.store
        try museum.coordinator.addPersistentStore(type: .sqlite, at: URL(filePath: "/dev/null"))
        try museum.coordinator.remove(store)
        try museum.fill(scans: 200_000)
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        #expect(try museum.account(at: museum.place("Backup.sqlite")) == museum.account())
    }

    @Test("nothing is overwritten, and nothing is left of a backup that fails")
    func refused() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 200_000)
        let files = try museum.files()
        let taken = failure { try museum.store.backup(to: museum.stack.url) }
        #expect(taken?.code == CocoaError.fileWriteFileExists.rawValue)
        let nowhere = failure { try museum.store.backup(to: museum.place("no/folder/Backup.sqlite")) }
        #expect(nowhere?.domain == NSCocoaErrorDomain)
        let shared = failure { try museum.store.backup(to: museum.place("Store.backup")) }
        #expect(shared?.code == NSPersistentStoreOpenError)
        #expect(try museum.files() == files)
        let store = museum.store
        try museum.coordinator.remove(store)
        #expect(failure { try store.backup(to: museum.place("x")) }?.code == NSPersistentStoreOperationError)
    }

    @Test("while others save, a backup is the store at one moment")
    func consistent() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill()
        let renaming = Renaming(museum.coordinator)
        var rounds: Set<Int> = []
        for number in 0..<8 {
            try museum.store.backup(to: museum.place("Backup\(number).sqlite"))
            let lines = try museum.account(at: museum.place("Backup\(number).sqlite"))
            let names = Set(
                lines.filter { $0.hasPrefix("Room") }.map { $0.components(separatedBy: "name=").last ?? "" })
            #expect(names.count == 1)
            let round = try #require(names.first.flatMap(Int.init))
            let exhibit = lines.first { $0.contains("name=exhibit 3,") }
            #expect(exhibit?.contains("scan=150000 bytes of \(round & 255)") == true)
            rounds.insert(round)
        }
        #expect(renaming.end() == nil)
        #expect(!rounds.isEmpty)
    }
}

/// Gives both rooms the number of the round as name, and an exhibit new large data, in one save after the other,
/// on a separate thread.
private final class Renaming: @unchecked Sendable {  // `isEnding` and `error` are guarded by `lock`
    private let lock = NSLock()
    private var isEnding = false
    private var error: NSError?
    private let ended = DispatchSemaphore(value: 0)

    /// Returns when the first round is saved.
    init(_ coordinator: NSPersistentStoreCoordinator) {
        let begun = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            var round = 0
            while !lock.withLock({ isEnding }) {
                round += 1
                let failed = failure { try save(round, context) }
                if let failed { lock.withLock { (error, isEnding) = (failed, true) } }
                if round == 1 || failed != nil { begun.signal() }
            }
            ended.signal()
        }
        begun.wait()
    }

    private func save(_ round: Int, _ context: NSManagedObjectContext) throws {
        for room in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Room")) {
            room.setValue("\(round)", forKey: "name")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Exhibit")
        request.predicate = NSPredicate(format: "name == 'exhibit 3'")
        try context.fetch(request).first?.setValue(
            Data(repeating: UInt8(round & 255), count: 150_000), forKey: "scan")
        try context.save()
    }

    /// - Returns: the first error.
    func end() -> NSError? {
        lock.withLock { isEnding = true }
        ended.wait()
        return lock.withLock { error }
    }
}
