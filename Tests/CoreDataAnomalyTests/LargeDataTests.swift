// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Data in files beside the database: at every moment each row finds its file, and each reader keeps its data.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Photos with a name and data in a file of its own.
private final class Album {
    let stack: Stack
    var context: NSManagedObjectContext { stack.context }
    var support: URL { stack.folder.appending(path: ".Store_SUPPORT") }
    var files: URL { support.appending(path: "_EXTERNAL_DATA") }

    static func model() -> NSManagedObjectModel {
        let photo = NSEntityDescription("Photo")
        photo.attribute("name", .stringAttributeType)
        photo.attribute("data", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        return NSManagedObjectModel(photo)
    }

    init(_ first: UInt8 = 1, options: [AnyHashable: Any]? = nil) throws {
        stack = try Stack(.sqlite, Self.model(), options: options)
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
        photo.setValue("first", forKey: "name")
        photo.setValue(Self.data(first), forKey: "data")
        try stack.context.save()
    }

    static func data(_ byte: UInt8) -> Data { Data(repeating: byte, count: 150_000) }

    /// The one photo, not a fault.
    static func photo(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
        request.returnsObjectsAsFaults = false
        return try #require(try context.fetch(request).first)
    }

    static func byte(_ photo: NSManagedObject) -> UInt8? { (photo.value(forKey: "data") as? Data)?.first }

    func replace(_ byte: UInt8, in other: NSManagedObjectContext? = nil) throws {
        let context = other ?? context
        try Self.photo(context).setValue(Self.data(byte), forKey: "data")
        try context.save()
    }

    func names() -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? [])
    }

    /// The first byte of the data that a new process would find in the store.
    func stored() throws -> UInt8? {
        let (coordinator, context) = try stack.secondCoordinator()
        return try withExtendedLifetime(coordinator) { try Self.byte(Self.photo(context)) }
    }
}

@Suite("Large data of several writers") struct LargeDataOfSeveralWritersTests {
    @Test("a save that overwrites stores the data that it was made on", arguments: [true, false])
    func overwriting(sharesCoordinator: Bool) throws {
        let album = try Album(1)
        let (other, second) = try album.stack.secondCoordinator()
        let context = sharesCoordinator ? album.stack.newContext() : second
        context.mergePolicy = NSMergePolicy.overwrite
        let photo = try Album.photo(context)
        try album.replace(2)
        photo.setValue("changed", forKey: "name")
        try context.save()
        #expect(Album.byte(photo) == 1)
        #expect(try album.stored() == 1)
        try album.stack.reopen()
        #expect(try Album.byte(Album.photo(album.context)) == 1)
        withExtendedLifetime(other) {}
    }

    @Test("a save that overwrites keeps the store's data when its own is gone") func overwritingLost() throws {
        let album = try Album(1)
        let (other, context) = try album.stack.secondCoordinator()
        context.mergePolicy = NSMergePolicy.overwrite
        let photo = try Album.photo(context)
        let before = album.names()
        try album.replace(2)
        // As another process does that knows nothing of this one.
        for name in before { try? FileManager.default.removeItem(at: album.files.appending(path: name)) }
        photo.setValue("changed", forKey: "name")
        try context.save()
        #expect(try album.stored() == 2)
        withExtendedLifetime(other) {}
    }

    @Test("a reader has the data that it fetched, however often others replace it", arguments: [true, false])
    func readers(sharesCoordinator: Bool) throws {
        let album = try Album(1)
        let (other, second) = try album.stack.secondCoordinator()
        let context = sharesCoordinator ? album.stack.newContext() : second
        let photo = try Album.photo(context)
        for byte in 2..<UInt8(202) { try album.replace(byte) }
        #expect(Album.byte(photo) == 1)
        // By then, files that nobody can need are gone.
        #expect(album.names().count < 100)
        context.stalenessInterval = 0
        context.refresh(photo, mergeChanges: false)
        #expect(Album.byte(photo) == 201)
        try album.stack.reopen()
        withExtendedLifetime(other) {}
    }

    @Test("a reader whose file another process has removed reads the data of the row") func replacedElsewhere() throws {
        let album = try Album(1)
        let (other, context) = try album.stack.secondCoordinator()
        let photo = try Album.photo(context)
        let before = album.names()
        try album.replace(2)
        for name in before { try? FileManager.default.removeItem(at: album.files.appending(path: name)) }
        #expect(Album.byte(photo) == 2)
        #expect(throws: Never.self) { try context.save() }
        withExtendedLifetime(other) {}
    }

    @Test("replaced data is gone when the store is closed") func closing() throws {
        let album = try Album(1)
        for byte in 2..<UInt8(9) { try album.replace(byte) }
        album.context.reset()
        try album.stack.coordinator.remove(album.stack.store)
        #expect(album.names().count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: album.support.path) == ["_EXTERNAL_DATA"])
    }

    @Test("replaced data that a process has left goes with the next opening") func leftBehind() async throws {
        let album = try Album(1)
        try album.stack.coordinator.remove(album.stack.store)
        let path = album.stack.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Album.model())
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil,
                at: URL(filePath: path).appending(path: "Store.sqlite"))
            let context = NSManagedObjectContext(concurrencyType: .confined)
            context.persistentStoreCoordinator = coordinator
            for byte in 2..<UInt8(9) {
                try Album.photo(context).setValue(Album.data(byte), forKey: "data")
                try context.save()
            }
            kill(getpid(), SIGKILL)
        }
        #expect(album.names().count > 1)
        #expect(try album.stored() == 8)
        #expect(album.names().count == 1)
    }
}

@Suite("Large data that cannot be read") struct UnreadableLargeDataTests {
    @Test("reads as nil, and the next save throws and writes nothing", arguments: [true, false])
    func lost(usesPrimitives: Bool) throws {
        let album = try Album(1)
        // Reads the file, not the memory of the saving context.
        try album.stack.reopen()
        let context = album.context
        let photo = try Album.photo(context)
        for name in album.names() { try FileManager.default.removeItem(at: album.files.appending(path: name)) }
        #expect((usesPrimitives ? photo.primitiveValue(forKey: "data") : photo.value(forKey: "data")) == nil)
        photo.setValue("changed", forKey: "name")
        let error = failure { try context.save() }
        #expect(error?.domain == NSCocoaErrorDomain)
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(cause?.localizedDescription.contains("Photo.data") == true, "\(String(describing: cause))")
        #expect(cause?.localizedDescription.contains(photo.objectID.uriRepresentation().absoluteString) == true)
        context.rollback()
        photo.setValue("changed", forKey: "name")
        try context.save()
    }

    @Test("is not stored as nil in another row") func copied() throws {
        let album = try Album(1)
        try album.stack.reopen()
        let context = album.context
        let photo = try Album.photo(context)
        for name in album.names() { try FileManager.default.removeItem(at: album.files.appending(path: name)) }
        let copy = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        copy.setValue(photo.value(forKey: "data"), forKey: "data")
        #expect(failure { try context.save() } != nil)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo")) == 2)
        context.rollback()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo")) == 1)
    }
}

@Suite("Large data and the failure of a machine") struct LargeDataAfterPowerLossTests {
    /// Brings the folder into the state of a machine that lost the last writes to the log.
    private func lose(_ album: Album, _ name: String, keepsLog: Bool) throws -> URL {
        let place = album.stack.folder.appending(path: name)
        let manager = FileManager.default
        try manager.createDirectory(at: place, withIntermediateDirectories: true)
        try manager.copyItem(at: album.support, to: place.appending(path: ".Store_SUPPORT"))
        for file in ["Store.sqlite", "Store.sqlite-wal"] where keepsLog || file == "Store.sqlite" {
            try manager.copyItem(at: album.stack.folder.appending(path: file), to: place.appending(path: file))
        }
        return place.appending(path: "Store.sqlite")
    }

    private func byte(at url: URL) throws -> UInt8? {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Album.model())
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return try withExtendedLifetime(coordinator) { try Album.byte(Album.photo(context)) }
    }

    @Test("the row of before finds its file when the log is lost, after any number of saves")
    func lostLog() throws {
        let album = try Album(1)
        // The first row is in the database itself.
        try album.stack.reopen()
        var lost: [URL] = []
        for byte in 2..<UInt8(150) {
            try album.replace(byte)
            if byte % 21 == 0 { lost.append(try lose(album, "lost\(byte)", keepsLog: false)) }
        }
        for url in lost { #expect(try byte(at: url) != nil) }
        #expect(try byte(at: lose(album, "kept", keepsLog: true)) == 149)
    }
}
