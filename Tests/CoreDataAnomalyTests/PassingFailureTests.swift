// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Temporary failures of the operating system: errors while they last, and correct results afterwards.

import CSQLite
import CoreData
import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

/// One after the other: all of them change the way in which SQLite opens files.
@Suite("Failures that pass", .serialized) enum PassingFailures {}

extension PassingFailures {
    /// SQLite opens a file read-only after any failure to open it for writing.
    @Suite("A file that cannot be opened for writing for a moment") struct OpeningTests {
        @Test("makes the opening fail, not every save after it", arguments: ["", "-wal"])
        func opening(suffix: String) throws {
            // Another stack has the store open, so that there is a log.
            let site = try Site()
            let warehouse = site.warehouse
            let error = OpenFailure.during(for: warehouse.url.path + suffix) {
                failure { try warehouse.withContext { _ in } }
            }
            #expect(error?.code == NSPersistentStoreOpenError)
            #expect(error?.localizedDescription.contains(warehouse.url.path) == true)
            try warehouse.withContext { context in
                Warehouse.fill(context, 1)
                try context.save()
            }
        }

        @Test("leaves a file that may not be written readable") func notWritable() throws {
            let warehouse = try Warehouse(boxes: 3)
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: warehouse.url.path)
            defer { try? manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: warehouse.url.path) }
            let mayWrite = manager.isWritableFile(atPath: warehouse.url.path)
            let (count, error) = try warehouse.withContext { context in
                let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box"))
                Warehouse.fill(context, 1)
                return (count, failure { try context.save() })
            }
            #expect(count == 3)
            #expect(error?.code == (mayWrite ? nil : NSFileWriteNoPermissionError))
        }
    }
}

extension PassingFailures {
    /// Each read opens a new connection, which fails as long as the file cannot be opened.
    @Suite("A read that fails for a moment") struct ReadingTests {
        private func addShelf(to context: NSManagedObjectContext) {
            let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
            shelf.setValue("second", forKey: "name")
        }

        private func whileNothingOpens<T>(_ site: Site, _ body: () throws -> T) rethrows -> T {
            try OpenFailure.during(for: site.warehouse.url.path, alsoReading: true, body)
        }

        @Test("fails one save, and the next one writes") func read() throws {
            let site = try Site()
            let (context, boxes) = (site.context, site.boxes)
            addShelf(to: context)
            let value = whileNothingOpens(site) { boxes[1].value(forKey: "small") }
            #expect(value == nil)
            let error = failure { try context.save() }
            #expect(error?.code == NSPersistentStoreSaveError)
            #expect(error?.localizedDescription.contains(site.warehouse.url.path) == true)
            #expect(boxes[1].value(forKey: "small") as? Int == 1)
            try context.save()
            let shelves = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
            #expect(shelves == 2)
        }

        @Test("of an object that was changed then keeps the change, and the values that were not read") func write()
            throws
        {
            let site = try Site()
            let (context, boxes) = (site.context, site.boxes)
            whileNothingOpens(site) { boxes[1].setValue("changed", forKey: "text") }
            #expect(failure { try context.save() } != nil)
            try context.save()
            context.refreshAllObjects()
            #expect(boxes[1].value(forKey: "text") as? String == "changed")
            #expect(boxes[1].value(forKey: "small") as? Int == 1)
            #expect(boxes[1].value(forKey: "large") as? Int == 1 << 40)
        }

        @Test("lets a roll-back show the values again") func rollback() throws {
            let site = try Site()
            let (context, boxes) = (site.context, site.boxes)
            whileNothingOpens(site) { boxes[1].setValue("changed", forKey: "text") }
            context.rollback()
            #expect(boxes[1].value(forKey: "small") as? Int == 1)
            try context.save()
        }

        @Test("refuses every save with writes that depend on it, as long as it lasts") func lasting() throws {
            let site = try Site()
            let (context, boxes) = (site.context, site.boxes)
            addShelf(to: context)
            let codes = whileNothingOpens(site) {
                boxes[1].setValue("changed", forKey: "text")
                return (0..<3).map { _ in failure { try context.save() }?.code }
            }
            #expect(codes == Array(repeating: NSPersistentStoreSaveError, count: 3))
            #expect(failure { try context.save() } != nil)
            try context.save()
        }

        @Test("leaves a to-many to be read again") func members() throws {
            let site = try Site()
            let (context, boxes) = (site.context, site.boxes)
            _ = boxes[1].value(forKey: "small")
            let none = whileNothingOpens(site) { (boxes[1].value(forKey: "labels") as? NSSet)?.count }
            #expect((none ?? 0) == 0)
            #expect((boxes[1].value(forKey: "labels") as? NSSet)?.count == 1)
            #expect(failure { try context.save() } != nil)
            try context.save()
        }

        /// Proves: Saving-E5
        @Test("of the members before a new one in an order refuses the save, and the next one has the order")
        func order()
            throws
        {
            let site = try Site()
            let context = site.context
            let shelf = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
            let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
            box.setValue(9, forKey: "small")
            box.setValue(shelf, forKey: "shelf")
            #expect(shelf.hasFault(forRelationshipNamed: "boxes"))
            #expect(whileNothingOpens(site) { failure { try context.save() } } != nil)
            #expect(context.hasChanges)
            try context.save()
            #expect(try site.warehouse.withContext { try Self.order($0) } == [0, 1, 2, 9])
        }

        /// Proves: Saving-E3
        @Test("of the members that an order replaces refuses each save until a rollback, and the store keeps its order")
        func replacedOrder() throws {
            let site = try Site()
            let context = site.context
            let shelf = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
            let boxes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Box"))
            whileNothingOpens(site) { shelf.setValue(NSOrderedSet(array: boxes.reversed()), forKey: "boxes") }
            for _ in 0..<2 { #expect(throws: NSError.self) { try context.save() } }
            context.rollback()
            #expect(try site.warehouse.withContext { try Self.order($0) } == [0, 1, 2])
            shelf.setValue(NSOrderedSet(array: [boxes[2], boxes[0], boxes[1]]), forKey: "boxes")
            let expected = [boxes[2], boxes[0], boxes[1]].map { $0.value(forKey: "small") as? Int }
            try context.save()
            #expect(try site.warehouse.withContext { try Self.order($0) } == expected)
        }

        private static func order(_ context: NSManagedObjectContext) throws -> [Int?] {
            let shelf = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first
            return (shelf?.value(forKey: "boxes") as? NSOrderedSet)?.map {
                ($0 as? NSManagedObject)?.value(forKey: "small") as? Int
            } ?? []
        }

        @Test("puts delete rules off until they can be applied") func rules() throws {
            let site = try Site()
            let context = site.context
            let shelf = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
            _ = shelf.value(forKey: "name")
            let refusal = whileNothingOpens(site) {
                context.delete(shelf)
                context.processPendingChanges()
                return failure { try context.save() }
            }
            #expect(refusal?.code == NSPersistentStoreSaveError)
            try context.save()
            let left = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box"))
            #expect(left == 0)
        }
    }
}

/// A store that is open, and faults of its boxes that were never read.
private final class Site {
    let warehouse: Warehouse
    let context: NSManagedObjectContext
    let boxes: [NSManagedObject]

    init() throws {
        warehouse = try Warehouse(boxes: 3)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: warehouse.url,
            options: [NSPersistentStoreConnectionPoolMaxSizeKey: 1])  // each read opens a connection
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Box")
        request.resultType = .managedObjectIDResultType
        request.sortDescriptors = [NSSortDescriptor(key: "small", ascending: true)]
        boxes = try context.fetch(request).map { context.object(with: $0) }
        self.context = context
    }
}

/// Lets SQLite's attempts to open one file fail, as in a process with too many open files.
private enum OpenFailure {
    private static let refused = Mutex<(path: String, alsoReading: Bool)?>(nil)

    static func during<T>(for path: String, alsoReading: Bool = false, _ body: () throws -> T) rethrows -> T {
        refused.withLock { $0 = (path, alsoReading) }
        install()
        defer {
            refused.withLock { $0 = nil }
            remove()
        }
        return try body()
    }

    private static func isRefused(_ name: UnsafePointer<CChar>?, _ flags: Int32) -> Bool {
        guard let name else { return false }
        let opened = String(cString: name)
        let writes = flags & O_ACCMODE == O_RDWR
        return refused.withLock { $0?.path == opened && (writes || $0?.alsoReading == true) }
    }

    private static func install() {
        let replacement: @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32 = { name, flags, mode in
            if OpenFailure.isRefused(name, flags) {
                errno = EMFILE
                return -1
            }
            guard let name else { return -1 }
            return open(name, flags, mode_t(mode))
        }
        set("open", unsafeBitCast(replacement, to: sqlite3_syscall_ptr.self))
        // SQLite queries a file's number before it takes a descriptor that another connection left open.
        let number: @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<stat>?) -> Int32 = { name, result in
            guard let name, let result, !OpenFailure.isRefused(name, O_RDONLY) else { return -1 }
            return stat(name, result)
        }
        set("stat", unsafeBitCast(number, to: sqlite3_syscall_ptr.self))
    }

    private static func remove() {
        set("open", nil)
        set("stat", nil)
    }

    private static func set(_ name: String, _ call: sqlite3_syscall_ptr?) {
        guard let files = sqlite3_vfs_find(nil) else { return }
        _ = files.pointee.xSetSystemCall(files, name, call)
    }
}
