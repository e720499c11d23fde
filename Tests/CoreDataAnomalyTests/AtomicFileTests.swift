// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files of atomic stores that are damaged, foreign, or inconsistent; disks and folders that refuse writes.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A store in one file with the contents of the sample model, and its bytes.
private final class AtomicWarehouse {
    let kind: StoreKind
    let folder: URL
    let url: URL

    init(_ kind: StoreKind, boxes: Int = 5) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: "Store.file")
        let (coordinator, context) = try open(url)
        Warehouse.fill(context, boxes)
        try context.save()
        try coordinator.remove(coordinator.persistentStores[0])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func open(_ url: URL) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    /// Writes the bytes to a new file and opens it: nil when it opens and every object of it reads.
    func failureOpening(_ bytes: Data) throws -> NSError? {
        let place = folder.appending(path: "Damaged.file")
        try bytes.write(to: place)
        let failure = failure {
            let (coordinator, context) = try open(place)
            for entity in ["Shelf", "Box", "Label"] {
                for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                    for name in object.entity.propertiesByName.keys { _ = object.value(forKey: name) }
                }
            }
            try coordinator.remove(coordinator.persistentStores[0])
        }
        if failure != nil { #expect(try Data(contentsOf: place) == bytes) }
        return failure
    }

    func boxes() throws -> Int {
        let (coordinator, context) = try open(url)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box"))
    }
}

@Suite("Damaged files of atomic stores") struct AtomicFileTests {
    private static let kinds = [StoreKind.xml, .binary]

    @Test("a file cut at any place is refused with a typed error and left as it is", arguments: kinds)
    func truncated(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let bytes = try Data(contentsOf: warehouse.url)
        #expect(try warehouse.failureOpening(bytes) == nil)
        for length in stride(from: 1, to: bytes.count, by: max(1, bytes.count / 150)) {
            let error = try warehouse.failureOpening(bytes.prefix(length))
            #expect(error?.domain == NSCocoaErrorDomain, "\(length)")
            #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue, "\(length)")
        }
    }

    @Test("changed bytes never stop the program, and a binary store notices every one", arguments: kinds)
    func changed(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let bytes = try Data(contentsOf: warehouse.url)
        var random = Seeded(state: 7)
        for round in 0..<300 {
            var damaged = bytes
            for _ in 0...(round % 3) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let error = try warehouse.failureOpening(damaged)
            #expect([nil, NSCocoaErrorDomain].contains(error?.domain), "\(round): \(String(describing: error))")
            if kind == .binary, damaged != bytes { #expect(error != nil, "\(round)") }
        }
    }

    @Test("a file of another kind is refused", arguments: kinds)
    func foreign(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let other = try AtomicWarehouse(kind == .xml ? .binary : .xml)
        let files = [
            try Data(contentsOf: other.url), Data("SQLite format 3\0".utf8) + Data(count: 4096), Data("text".utf8),
            Data(count: 100_000),
        ]
        for file in files {
            #expect(try warehouse.failureOpening(file)?.code == CocoaError.fileReadCorruptFile.rawValue)
        }
        #expect(failure { _ = try warehouse.open(warehouse.folder) }?.code == CocoaError.fileReadCorruptFile.rawValue)
    }

    @Test("an XML store that is made to grow or to reach out is refused")
    func hostile() throws {
        let warehouse = try AtomicWarehouse(.xml)
        let text = String(decoding: try Data(contentsOf: warehouse.url), as: UTF8.self)
        let doctype = "<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">"
        let entities = "<!DOCTYPE database [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;\">]>"
        let outside = "<!DOCTYPE database [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>"
        let variants = [
            text.replacing(doctype, with: entities), text.replacing(doctype, with: outside),
            text.replacing("</database>", with: String(repeating: "<object type=\"BOX\" id=\"z900\">", count: 200_000)),
            text.replacing("</database>", with: "<object type=\"BOX\" id=\"z102\"></object></database>"),
            text.replacing("idrefs=\"z", with: "idrefs=\"z9999"), text.replacing("id=\"z102\"", with: "id=\"z-1\""),
        ]
        for variant in variants {
            #expect(variant != text)
            #expect(try warehouse.failureOpening(Data(variant.utf8))?.code == CocoaError.fileReadCorruptFile.rawValue)
        }
        let unknown = [
            text.replacing("type=\"BOX\"", with: "type=\"BARREL\""),
            text.replacing("name=\"medium\"", with: "name=\"colour\""),
        ]
        for variant in unknown {
            let error = try warehouse.failureOpening(Data(variant.utf8))
            #expect(error?.code == NSPersistentStoreIncompatibleSchemaError, "\(String(describing: error))")
        }
    }

    @Test("an XML store is checked as a document, with and without the option", arguments: [nil, true, false])
    func validated(asked: Bool?) throws {
        let warehouse = try AtomicWarehouse(.xml)
        let text = String(decoding: try Data(contentsOf: warehouse.url), as: UTF8.self)
        let options: [AnyHashable: Any]? = asked.map { [NSValidateXMLStoreOption: $0] }
        func code(_ text: String) throws -> Int? {
            let url = warehouse.folder.appending(path: "Other.xml")
            try Data(text.utf8).write(to: url)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
            return failure {
                try coordinator.addPersistentStore(
                    ofType: NSXMLStoreType, configurationName: nil, at: url, options: options)
            }?.code
        }
        #expect(try code(text) == nil)
        let variants = [
            text.replacing("<object type=\"BOX\"", with: "<object"),
            text.replacing("<object type=\"BOX\"", with: "<thing type=\"BOX\"").replacing(
                "</object>", with: "</thing>"),
            text.replacing("</databaseInfo>", with: "</databaseInfo><databaseInfo></databaseInfo>"),
            text.replacing("</object>", with: "<attribute></attribute></object>"),
            text.replacing("</object>", with: "words</object>"),
            text.replacing("<nextObjectID>", with: "<next>").replacing("</nextObjectID>", with: "</next>"),
        ]
        for variant in variants {
            #expect(variant != text)
            #expect(
                try code(variant) == CocoaError.fileReadCorruptFile.rawValue,
                "\(variants.firstIndex(of: variant) ?? -1)")
        }
    }

    @Test(
        "a folder that may not be written refuses a save, and takes it when it may", .enabled(if: geteuid() != 0),
        arguments: kinds)
    func noRights(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let (_, context) = try warehouse.open(warehouse.url)
        Warehouse.fill(context, 1)
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: warehouse.folder.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: warehouse.folder.path) }
        #expect(failure { try context.save() }?.code == CocoaError.fileWriteNoPermission.rawValue)
        #expect(context.hasChanges)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: warehouse.folder.path)
        try context.save()
        #expect(try warehouse.boxes() == 6)
    }

    // Root may write everything, so the save is made by a process that drops its rights.
    @Test("a file that may not be written refuses a save, although its folder would take another one")
    func readOnlyFile() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let code = try AtomicFileTests.savesToReadOnlyFiles()
            exit(code)
        }
    }

    /// - Returns: 0, or the number of the expectation that failed.
    static func savesToReadOnlyFiles() throws -> Int32 {
        for kind in kinds {
            let warehouse = try AtomicWarehouse(kind)
            let (_, context) = try warehouse.open(warehouse.url)
            Warehouse.fill(context, 1)
            let before = try Data(contentsOf: warehouse.url)
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: warehouse.folder.path)
            try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: warehouse.url.path)
            if getuid() == 0 { seteuid(65534) }
            let error = failure { try context.save() }
            if getuid() == 0 { seteuid(0) }
            guard error?.code == CocoaError.fileWriteNoPermission.rawValue else { return 1 }
            guard context.hasChanges else { return 2 }
            guard try Data(contentsOf: warehouse.url) == before else { return 3 }
        }
        return 0
    }

    @Test("a folder that is gone refuses a save, and a store in one that never was is refused", arguments: kinds)
    func noFolder(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let nowhere = warehouse.folder.appending(path: "no/where.file")
        #expect(failure { _ = try warehouse.open(nowhere) }?.code == CocoaError.fileReadNoSuchFile.rawValue)
        let (_, context) = try warehouse.open(warehouse.url)
        Warehouse.fill(context, 1)
        let moved = URL(filePath: warehouse.folder.path + "-moved")
        try FileManager.default.moveItem(at: warehouse.folder, to: moved)
        #expect(failure { try context.save() }?.domain == NSCocoaErrorDomain)
        #expect(context.hasChanges)
        try FileManager.default.moveItem(at: moved, to: warehouse.folder)
        try context.save()
        #expect(try warehouse.boxes() == 6)
    }

    @Test(
        "a full disk refuses a save whole: the old file stays, and the context goes on",
        .enabled(if: geteuid() == 0, "only root can mount a small disk"), arguments: kinds)
    func fullDisk(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let disk = try SmallDisk.mounted("256k", in: warehouse.folder)
        let url = disk.place("Store.file")
        try FileManager.default.copyItem(at: warehouse.url, to: url)
        let before = try Data(contentsOf: url)
        let (_, context) = try warehouse.open(url)
        Warehouse.fill(context, 2000)
        let error = failure { try context.save() }
        #expect(error?.code == CocoaError.fileWriteOutOfSpace.rawValue, "\(String(describing: error))")
        #expect(try Data(contentsOf: url) == before)
        #expect(try disk.files() == ["Store.file"])
        #expect(context.hasChanges)
        context.rollback()
        Warehouse.fill(context, 1)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box")) == 6)
    }
}

@Suite("Programs that are killed while they write a file") struct KilledAtomicTests {
    @Test("the old file is there, or the new one, whole", arguments: ["xml", "binary"], [2, 9, 31])
    func killed(name: String, milliseconds: Int) async throws {
        let kind = try #require(StoreKind(rawValue: name))
        let warehouse = try AtomicWarehouse(kind, boxes: 0)
        let path = warehouse.url.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, name = name as String, milliseconds = milliseconds as Int] in
            try KilledAtomicTests.saveUntilKilled(path, name, milliseconds)
        }
        let (_, context) = try warehouse.open(warehouse.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: warehouse.folder.path) == ["Store.file"])
        let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box"))
        #expect(count >= 80)
        #expect(count % 40 == 0)
        Warehouse.fill(context, 3)
        try context.save()
        #expect(try warehouse.boxes() == count + 3)
    }

    static func saveUntilKilled(_ path: String, _ name: String, _ milliseconds: Int) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let type = name == "xml" ? NSXMLStoreType : NSBinaryStoreType
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: URL(filePath: path))
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        for round in 1... {
            Warehouse.fill(context, 40)
            try context.save()
            guard round == 2 else { continue }
            // From a separate thread, so that it comes in the midst of the work.
            Thread.detachNewThread {
                usleep(UInt32(milliseconds) * 1000)
                kill(getpid(), SIGKILL)
            }
        }
    }
}

@Suite("Two programs with one file") struct SharedAtomicFileTests {
    private static var boxes: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Box") }

    private static func open(_ path: String, _ name: String) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let type = name == "xml" ? NSXMLStoreType : NSBinaryStoreType
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: URL(filePath: path))
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test("the second save notices, overwrites nothing, and the context goes on", arguments: ["xml", "binary"])
    func second(name: String) async throws {
        let warehouse = try AtomicWarehouse(try #require(StoreKind(rawValue: name)))
        let (coordinator, context) = try warehouse.open(warehouse.url)
        #expect(try context.count(for: Self.boxes) == 5)
        await #expect(processExitsWith: .success) {
            [path = warehouse.url.path as String, name = name as String] in
            let context = try SharedAtomicFileTests.open(path, name)
            Warehouse.fill(context, 2)
            try context.save()
        }
        let theirs = try Data(contentsOf: warehouse.url)
        Warehouse.fill(context, 1)
        #expect(failure { try context.save() }?.code == NSPersistentStoreSaveError)
        #expect(try Data(contentsOf: warehouse.url) == theirs)
        #expect(context.hasChanges)
        context.rollback()
        try coordinator.remove(coordinator.persistentStores[0])
        let (_, again) = try warehouse.open(warehouse.url)
        #expect(try again.count(for: Self.boxes) == 7)
        Warehouse.fill(again, 1)
        try again.save()
        #expect(try warehouse.boxes() == 8)
    }

    @Test("of several that save at once, one succeeds", arguments: ["xml", "binary"])
    func race(name: String) async throws {
        let warehouse = try AtomicWarehouse(try #require(StoreKind(rawValue: name)))
        let path = warehouse.url.path
        await withTaskGroup(of: Void.self) { group in
            for number in 1...3 {
                group.addTask { await Self.expectCompetitor(path, name, number) }
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: warehouse.folder.path).sorted()
        let won = files.filter { $0.hasPrefix("won-") }
        #expect(won.count == 1)
        #expect(files.filter { $0.hasPrefix("lost-") }.count == 2)
        #expect(files.allSatisfy { !$0.hasSuffix(".tmp") })
        let winner = Int(won.first?.dropFirst(4) ?? "") ?? 0
        #expect(try warehouse.boxes() == 5 + winner)
    }

    private static func expectCompetitor(_ path: String, _ name: String, _ number: Int) async {
        await #expect(processExitsWith: .success) {
            [path = path as String, name = name as String, number = number as Int] in
            try SharedAtomicFileTests.compete(path, name, number)
        }
    }

    /// Waits until all three have read the file, saves `number` boxes, and leaves a file that names the outcome.
    static func compete(_ path: String, _ name: String, _ number: Int) throws {
        let context = try open(path, name)
        let folder = URL(filePath: path).deletingLastPathComponent()
        func say(_ word: String) throws { try Data().write(to: folder.appending(path: "\(word)-\(number)")) }
        func here(_ word: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).count { $0.hasPrefix(word) }
        }
        Warehouse.fill(context, number)
        try say("ready")
        while try here("ready-") < 3 { usleep(500) }
        do {
            try context.save()
            try say("won")
        } catch let error as NSError where error.code == NSPersistentStoreSaveError {
            try say("lost")
        }
    }

    @Test("files left by a killed process are removed, and nothing else", arguments: [StoreKind.xml, .binary])
    func leftovers(kind: StoreKind) throws {
        let warehouse = try AtomicWarehouse(kind)
        let names = [
            ".Store.file.\(UUID().uuidString).tmp", ".Store.file.\(UUID().uuidString).tmp", ".Store.file.mine.tmp",
            ".Other.file.\(UUID().uuidString).tmp", "Store.file.\(UUID().uuidString).tmp",
        ]
        for name in names { try Data([1]).write(to: warehouse.folder.appending(path: name)) }
        let live = try FileHandle(forReadingFrom: warehouse.folder.appending(path: names[1]))
        #expect(flock(live.fileDescriptor, LOCK_EX) == 0)
        func files() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: warehouse.folder.path))
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: nil, at: warehouse.url,
            options: [NSReadOnlyPersistentStoreOption: true])
        #expect(try files() == Set(names + ["Store.file"]))
        try coordinator.remove(store)
        _ = try warehouse.open(warehouse.url)
        #expect(try files() == Set(names.dropFirst() + ["Store.file"]))
        try live.close()
    }
}
