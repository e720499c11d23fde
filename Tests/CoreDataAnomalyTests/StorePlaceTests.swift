// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores reached through symbolic links, with few rights, at places that are no files, and with killed programs' files.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Places of stores") struct StorePlaceTests {
    private func open(_ url: URL, _ kind: StoreKind = .sqlite) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
        try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func mode(_ url: URL) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
        return try #require(value as? NSNumber).intValue
    }

    @Test("a store has its large data in one place, with and without a symbolic link to it") func link() throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 6, scans: 150_000)
        let before = try museum.account()
        let folder = museum.place("links")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let link = folder.appending(path: "Other.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: museum.stack.url)
        let context = try open(link)
        let coordinator = try #require(context.persistentStoreCoordinator)
        #expect(try Museum.account(coordinator) == before)
        museum.insert("Exhibit", "by the link", in: context).setValue(Data(count: 200_000), forKey: "scan")
        try context.save()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Other.sqlite"])
        #expect(try (museum.object("Exhibit", "by the link")?.value(forKey: "scan") as? Data)?.count == 200_000)
        // Destroying the store through the link takes the data along, and leaves the link.
        try museum.coordinator.remove(museum.store)
        try coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
        #expect(try museum.files().filter { !$0.hasPrefix("Store.sqlite") } == ["links"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == museum.stack.url.path)
        try museum.coordinator.addPersistentStore(type: .sqlite, at: museum.stack.url)
    }

    @Test("files of a private store are private") func rights() throws {
        let museum = try Museum(in: .sqlite)
        try museum.coordinator.remove(museum.store)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: museum.stack.url.path)
        try museum.coordinator.addPersistentStore(type: .sqlite, at: museum.stack.url)
        try museum.fill(exhibits: 4, scans: 150_000)
        try museum.store.backup(to: museum.place("Backup.sqlite"))
        let paths = try FileManager.default.subpathsOfDirectory(atPath: museum.stack.folder.path)
        #expect(paths.count > 8)
        for path in paths {
            #expect(try mode(museum.place(path)) & 0o077 == 0, "\(path)")
        }
    }

    @Test("a device or a pipe is no store, and stays", arguments: [StoreKind.sqlite, .xml, .binary])
    func device(kind: StoreKind) throws {
        let museum = try Museum(in: .sqlite)
        let pipe = museum.place("pipe")
        #expect(mkfifo(pipe.path, 0o666) == 0)
        var places = [pipe]
        // A device like `/dev/zero`, if it may be made.
        let device = museum.place("device")
        if mknod(device.path, S_IFCHR | 0o666, 0x105) == 0 { places.append(device) }
        for place in places {
            let link = museum.place("link")
            try? FileManager.default.removeItem(at: link)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place)
            for url in [place, link] {
                let opening = failure { _ = try open(url, kind) }
                #expect(opening?.code == CocoaError.fileReadCorruptFile.rawValue, "\(url.path)")
                let other = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
                let options = [NSPersistentStoreForceDestroyOption: true]
                let destroying = failure {
                    try other.destroyPersistentStore(at: url, ofType: kind.type, options: options)
                }
                #expect(destroying?.domain == NSCocoaErrorDomain)
                let replacing = failure {
                    try other.replacePersistentStore(
                        at: url, destinationOptions: options, withPersistentStoreFrom: museum.stack.url,
                        sourceOptions: nil, ofType: NSSQLiteStoreType)
                }
                #expect(replacing?.domain == NSCocoaErrorDomain)
                var status = stat()
                #expect(stat(url.path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
            }
        }
    }

    @Test("a path that SQLite has no room for is named as the reason") func longPath() throws {
        let museum = try Museum(in: .sqlite)
        var folder = museum.stack.folder
        for _ in 0..<3 { folder.append(path: String(repeating: "f", count: 200)) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let error = failure { _ = try open(folder.appending(path: "Store.sqlite")) }
        #expect(error?.code == CocoaError.fileReadInvalidFileName.rawValue)
        #expect(error?.localizedDescription.contains("500 bytes") == true)
    }
}

@Suite("Leftovers of killed programs next to a store") struct HalfMadeLeftoverTests {
    /// Leaves the files of a killed migration, replacement or backup.
    private func leave(_ museum: Museum) throws {
        let stem = "." + UUID().uuidString
        let support = museum.place(".\(stem)_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
        for name in ["half-lock", "half", "half-wal", "half-shm", "half-journal"] {
            try Data(count: 3).write(to: museum.place("\(stem).\(name)"))
        }
        try Data(count: 3).write(to: museum.place(".\(stem).half.\(UUID().uuidString).tmp"))
        try Data(count: 3).write(to: support.appending(path: UUID().uuidString))
    }

    @Test("goes with the next opening", arguments: [StoreKind.sqlite, .xml, .binary])
    func sweep(kind: StoreKind) throws {
        let museum = try Museum(in: kind)
        _ = museum.insert("Room", "hall")
        try museum.context.save()
        try museum.coordinator.remove(museum.store)
        let before = try museum.files()
        try leave(museum)
        #expect(try museum.files().count > before.count)
        try museum.stack.reopen()
        try museum.coordinator.remove(museum.store)
        #expect(try museum.files() == before)
    }

    @Test("stays while its program lives, and when another program made it") func restraint() throws {
        let museum = try Museum(in: .sqlite)
        try leave(museum)
        let lock = try #require(try museum.files().first { $0.hasSuffix("half-lock") })
        let descriptor = open(museum.place(lock).path, O_RDONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX) == 0)
        try Data().write(to: museum.place(".notes.half"))
        try museum.stack.reopen()
        let files = try museum.files()
        #expect(files.filter { $0.contains("half") }.count == 7)
        // A program that another suite starts may briefly hold the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
        try museum.stack.reopen()
        #expect(try museum.files().filter { $0.contains("half") } == [".notes.half"])
    }

    @Test("a backup that was killed leaves nothing once its place is a store", arguments: [3, 8, 15])
    func killed(milliseconds: Int) async throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(exhibits: 30, scans: 150_000)
        let data = museum.place(".Store_SUPPORT/_EXTERNAL_DATA").path
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        try museum.coordinator.remove(museum.store)
        let path = museum.stack.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, milliseconds = milliseconds as Int] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
            let folder = URL(filePath: path)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appending(path: "Store.sqlite"))
            Thread.detachNewThread {
                usleep(UInt32(milliseconds) * 1000)
                kill(getpid(), SIGKILL)
            }
            for number in 0... { try store.backup(to: folder.appending(path: "Copy\(number).sqlite")) }
        }
        let numbers = 0..<(try museum.files().count)
        for number in numbers where try museum.files().contains(where: { $0.contains("Copy\(number)") }) {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MuseumModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: museum.place("Copy\(number).sqlite"))
            let count = try Museum.account(coordinator).count
            try coordinator.remove(store)
            let copies = museum.place(".Copy\(number)_SUPPORT/_EXTERNAL_DATA").path
            let left = (try? FileManager.default.contentsOfDirectory(atPath: copies)) ?? []
            #expect(Set(left) == (count == 0 ? [] : Set(names)))
        }
        try museum.stack.reopen()
        #expect(try museum.files().filter { $0.contains("half") } == [])
    }
}
