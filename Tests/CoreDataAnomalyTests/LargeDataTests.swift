// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Data in external files: at every moment each row finds its file, and each reader keeps its data.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

/// Photos with a name and data in an external file.
private final class Album {
    let stack: Stack
    var context: NSManagedObjectContext { stack.context }
    var support: URL { stack.folder.appending(path: ".Store_SUPPORT") }
    var files: URL { support.appending(path: "_EXTERNAL_DATA") }

    static func model() -> NSManagedObjectModel {
        let model = PhotoModel.make()
        let photo = model.entities[0]
        let page = photo.composite("page", ["text": .stringAttributeType, "scan": .binaryDataAttributeType])
        page.elements[1].allowsExternalBinaryDataStorage = true
        return model
    }

    init(_ first: UInt8 = 1, options: [AnyHashable: Any]? = nil) throws {
        stack = try Stack(.sqlite, Self.model(), options: options)
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: stack.context)
        photo.setValue("first", forKey: "name")
        photo.setValue(Self.data(first), forKey: "data")
        try stack.context.save()
    }

    static func data(_ byte: UInt8) -> Data { Data(repeating: byte, count: 150_000) }

    /// The only photo, not a fault.
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

    /// Puts a composite value into the row of the photo with its data in a file, as Apple's framework does.
    func givePage(_ byte: UInt8) throws {
        try Self.photo(context).setValue(["text": "recto", "scan": Data([byte])], forKey: "page")
        try context.save()
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        let connection = try Connection(url: stack.url)
        let columns = try connection.rows("PRAGMA table_info(ZPHOTO)").compactMap { row in
            row[2].textValue == "BLOB" && row[1].textValue != "ZDATA" ? row[1].textValue : nil
        }
        let column = try #require(columns.first)
        let name = UUID().uuidString
        try Self.data(byte).write(to: files.appending(path: name))
        try connection.run(
            "UPDATE ZPHOTO SET \(column) = ?", [.blob(Data([2]) + Data(name.utf8) + Data([0]))])
        try connection.close()
        try stack.reopen()
    }

    func removeFiles() throws {
        for name in names() { try FileManager.default.removeItem(at: files.appending(path: name)) }
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
        // As another process does, unknown to this one.
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
        for byte in 2..<UInt8(122) { try album.replace(byte) }
        #expect(Album.byte(photo) == 1)
        // By then, files that no reader needs are gone.
        #expect(album.names().count < 100)
        context.stalenessInterval = 0
        context.refresh(photo, mergeChanges: false)
        #expect(Album.byte(photo) == 121)
        try album.stack.reopen()
        withExtendedLifetime(other) {}
    }

    @Test("a reader of a file removed by another process reads the data of the row") func replacedElsewhere() throws {
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

    @Test("a file stays while a reader sees the state that names it, also when the writer closes") func generation()
        throws
    {
        let album = try Album(1)
        let (other, context) = try album.stack.secondCoordinator()
        try context.setQueryGenerationFrom(.current)
        _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Photo"))
        let before = album.names()
        try album.replace(2)
        album.context.reset()
        try album.stack.coordinator.remove(album.stack.store)
        #expect(before.isSubset(of: album.names()))
        #expect(try Album.byte(Album.photo(context)) == 1)
        withExtendedLifetime(other) {}
    }

    @Test(
        "a column names no file outside of the store's folder",
        arguments: ["../../Secret", "../Secret"])
    func foreignPath(path: String) throws {
        let album = try Album(1)
        try album.stack.coordinator.remove(album.stack.store)
        for folder in [album.stack.folder, album.support] {
            try Album.data(9).write(to: folder.appending(path: "Secret"))
        }
        let connection = try Connection(url: album.stack.url)
        try connection.run("UPDATE ZPHOTO SET ZDATA = ?", [.blob(Data([2]) + Data(path.utf8) + Data([0]))])
        try connection.close()
        try album.stack.reopen()
        #expect(try Album.photo(album.context).value(forKey: "data") as? Data != Album.data(9))
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

    /// The source context is never saved, so nothing else would show that the value is missing.
    @Test("ends a migration by objects, and is not nil in its result") func migrated() throws {
        let album = try Album(1)
        let url = album.stack.url
        try album.stack.coordinator.remove(album.stack.store)
        try album.removeFiles()
        let (old, new) = (Album.model(), Album.model())
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        let copy = album.stack.folder.appending(path: "Copy.xml")
        let error = failure {
            try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
                from: url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: copy,
                destinationType: NSXMLStoreType)
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    private static func isUnreadable(_ error: NSError?, _ attribute: String, _ photo: NSManagedObject) -> Bool {
        guard let error, error.domain == NSCocoaErrorDomain, error.code == CocoaError.fileReadNoSuchFile.rawValue
        else { return false }
        return error.localizedDescription.contains("'\(attribute)'")
            && error.localizedDescription.contains(photo.objectID.uriRepresentation().absoluteString)
    }

    private static func request(_ format: String?, _ keys: [String]? = nil) -> NSFetchRequest<any NSFetchRequestResult>
    {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Photo")
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: [Album.data(1)]) }
        if let keys {
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = keys
        }
        return request
    }

    @Test(
        "fails a fetch of dictionaries that contain it, and no other", arguments: [nil, "data != %@", "name LIKE 'f*'"])
    func dictionaries(format: String?) throws {
        let album = try Album(1)
        try album.stack.reopen()
        let context = album.context
        let request = Self.request(format, ["name", "data"])
        let plain = Self.request("name == 'first'", ["name"])
        #expect(try context.fetch(Self.request(format == "data != %@" ? nil : format, ["data"])).count == 1)
        let photo = try Album.photo(context)
        try album.removeFiles()
        #expect(Self.isUnreadable(failure { _ = try context.fetch(request) }, "Photo.data", photo))
        #expect(try context.fetch(plain).count == 1)
        // No value was read as nil, so a save can go on.
        photo.setValue("changed", forKey: "name")
        try context.save()
    }

    @Test("fails a fetch with a condition that needs it, and no other", arguments: ["data == %@", "data != %@"])
    func conditions(format: String) throws {
        let album = try Album(1)
        try album.stack.reopen()
        let context = album.context
        let request = Self.request(format)
        #expect(try context.fetch(request).count == (format == "data == %@" ? 1 : 0))
        let photo = try Album.photo(context)
        try album.removeFiles()
        let block = NSFetchRequest<NSManagedObject>(entityName: "Photo")
        block.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(block: { _, _ in true }), try #require(request.predicate),
        ])
        // A fault, an unchanged object, a changed one.
        for step in 0..<3 {
            if step == 0 { context.refresh(photo, mergeChanges: false) } else { _ = photo.value(forKey: "name") }
            if step == 2 { photo.setValue("changed", forKey: "name") }
            #expect(Self.isUnreadable(failure { _ = try context.fetch(request) }, "Photo.data", photo), "\(step)")
            #expect(Self.isUnreadable(failure { _ = try context.count(for: request) }, "Photo.data", photo), "\(step)")
            #expect(Self.isUnreadable(failure { _ = try context.fetch(block) }, "Photo.data", photo), "\(step)")
            #expect(try context.fetch(Self.request("name LIKE '*'")).count == 1)
            #expect(try context.fetch(Self.request("data != nil")).count == 1)
        }
        try context.save()
        #expect(try album.context.fetch(Self.request("name == 'changed'")).count == 1)
    }

    @Test("does not fail a condition on its presence") func presence() throws {
        let album = try Album(1)
        try album.givePage(7)
        let context = album.context
        let photo = try Album.photo(context)
        try album.removeFiles()
        let block = NSPredicate(block: { _, _ in true })
        // A fault, an unchanged object, a changed one.
        for step in 0..<3 {
            if step == 0 { context.refresh(photo, mergeChanges: false) } else { _ = photo.value(forKey: "name") }
            if step == 2 { photo.setValue("changed", forKey: "name") }
            for (format, isFound) in [
                ("data != nil", true), ("nil != data", true), ("data == nil", false), ("NOT data == nil", true),
                ("data == nil AND name MATCHES '.*'", false), ("data != nil OR name MATCHES '.*'", true),
            ] {
                let request = Self.request(format)
                #expect(try context.count(for: request) == (isFound ? 1 : 0), "\(format), \(step)")
                request.predicate = NSCompoundPredicate(
                    andPredicateWithSubpredicates: [block, try #require(request.predicate)])
                #expect(try context.fetch(request).count == (isFound ? 1 : 0), "\(format), \(step)")
            }
            #expect(NSPredicate(format: "page != nil AND data != nil").evaluate(with: photo))
        }
        // No value was read as nil, so the save goes on.
        try context.save()
        #expect(try context.fetch(Self.request("name == 'changed'")).count == 1)
    }

    @Test("is the value of a column that is an expression, or fails its fetch", arguments: [true, false])
    func expressionColumn(isTyped: Bool) throws {
        let album = try Album(1)
        try album.stack.reopen()
        let photo = try Album.photo(album.context)
        let column = NSExpressionDescription()
        column.name = "copy"
        column.expression = NSExpression(forKeyPath: "data")
        if isTyped { column.expressionResultType = .binaryDataAttributeType }
        let request = Self.request(nil, [])
        request.propertiesToFetch = [column]
        let found = try #require(try album.context.fetch(request).first as? NSDictionary)
        #expect(found["copy"] as? Data == Album.data(1))
        try album.removeFiles()
        #expect(Self.isUnreadable(failure { _ = try album.context.fetch(request) }, "Photo.data", photo))
    }

    @Test("of a composite value is not written as nil where its record is written again")
    func compositeWrittenAgain() throws {
        let album = try Album(1)
        try Album.photo(album.context).setValue(Data([1]), forKey: "data")
        try album.givePage(7)
        let context = album.context
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let photo = try Album.photo(context)
        photo.setValue("changed", forKey: "name")
        let other = album.stack.newContext()
        other.delete(try Album.photo(other))
        try other.save()
        try album.removeFiles()
        let error = failure { try context.save() }
        #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(error?.localizedDescription.contains("'Photo.page'") == true, "\(String(describing: error))")
        #expect(try other.count(for: Self.request(nil)) == 0)
    }

    @Test("of a composite value is read on access; then it is nil, and the next save throws")
    func composite() throws {
        let album = try Album(1)
        try album.givePage(7)
        func scan(_ value: Any?) -> UInt8? { ((value as? [String: Any])?["scan"] as? Data)?.first }
        #expect(scan(try Album.photo(album.context).value(forKey: "page")) == 7)
        let pages = Self.request(nil, ["page"])
        #expect(scan((try album.context.fetch(pages).first as? NSDictionary)?["page"]) == 7)
        try album.stack.reopen()
        let context = album.context
        let photo = try Album.photo(context)
        try album.removeFiles()
        #expect(Self.isUnreadable(failure { _ = try context.fetch(pages) }, "Photo.page", photo))
        photo.setValue("changed", forKey: "name")
        try context.save()
        #expect(photo.value(forKey: "page") == nil)
        photo.setValue("changed again", forKey: "name")
        let cause = failure { try context.save() }?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(Self.isUnreadable(cause, "Photo.page", photo))
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
    /// Resets the folder to the state of a machine that lost the last writes to the log.
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

    #if os(Linux)
        @Test("a destroyed database is emptied before its large data goes") func destruction() throws {
            let album = try Album(1)
            let coordinator = album.stack.coordinator
            try coordinator.remove(album.stack.store)
            let queue = inotify_init1(O_NONBLOCK)
            defer { close(queue) }
            let database = inotify_add_watch(queue, album.stack.url.path, UInt32(IN_MODIFY))
            let files = inotify_add_watch(queue, album.files.path, UInt32(IN_DELETE))
            try coordinator.destroyPersistentStore(at: album.stack.url, ofType: NSSQLiteStoreType)
            let changed = Self.watches(queue, UInt32(IN_MODIFY | IN_DELETE))
            #expect(Set(changed) == [database, files])
            #expect(try #require(changed.lastIndex(of: database)) < #require(changed.firstIndex(of: files)))
        }

        /// The watches that noted a change, in the order of the changes.
        private static func watches(_ queue: Int32, _ changes: UInt32) -> [Int32] {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let length = read(queue, &bytes, bytes.count)
            return bytes.withUnsafeBytes { bytes in
                var watches: [Int32] = []
                var position = 0
                // An event: watch, kind of change, cookie, length of the name, name.
                while position < length {
                    if bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self) & changes != 0 {
                        watches.append(bytes.loadUnaligned(fromByteOffset: position, as: Int32.self))
                    }
                    position += 16 + Int(bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self))
                }
                return watches
            }
        }
    #endif
}
