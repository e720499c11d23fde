// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The damaged sample, ways to damage it, and ways to detect the difference.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

/// Shelves have boxes in order, boxes have labels; a box has a value of every type.
enum WarehouseModel {
    static func make(changed: Bool = false) -> NSManagedObjectModel {
        let shelf = NSEntityDescription("Shelf")
        shelf.attribute("name", .stringAttributeType, optional: false)
        let box = NSEntityDescription("Box")
        for (name, type) in MuseumModel.types { box.attribute(name, type) }
        let crate = NSEntityDescription("Crate")
        crate.attribute("wood", .stringAttributeType)
        box.subentities = [crate]
        let label = NSEntityDescription("Label")
        label.attribute("text", changed ? .integer64AttributeType : .stringAttributeType)
        shelf.relate("boxes", .ordered, .cascadeDeleteRule, to: box, inverse: "shelf", .one)
        box.relate("labels", .many, to: label, inverse: "boxes", .many)
        return NSManagedObjectModel(shelf, box, crate, label)
    }
}

/// A folder with a store in it, removed at the end.
final class Warehouse {
    let folder: URL
    let url: URL

    /// - Parameter boxes: the number of saved boxes; nil makes no file.
    init(boxes: Int? = 20, options: [AnyHashable: Any]? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: "Store.sqlite")
        guard let boxes else { return }
        try withContext(options: options) { context in
            Self.fill(context, boxes)
            try context.save()
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static func fill(_ context: NSManagedObjectContext, _ count: Int) {
        func insert(_ entity: String) -> NSManagedObject {
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        }
        let shelf = insert("Shelf")
        shelf.setValue("first", forKey: "name")
        let label = insert("Label")
        label.setValue("fragile", forKey: "text")
        let boxes = (0..<count).map { number in
            let box = insert(number % 3 == 0 ? "Crate" : "Box")
            box.setValue(number, forKey: "small")
            box.setValue(number * 1000, forKey: "medium")
            box.setValue(Int64(number) << 40, forKey: "large")
            box.setValue(Decimal(number) / 100, forKey: "exact")
            box.setValue(Double(number) / 3, forKey: "real")
            box.setValue(Float(number), forKey: "single")
            box.setValue("box \(number) " + String(repeating: "x", count: 200), forKey: "text")
            box.setValue(number % 2 == 0, forKey: "flag")
            box.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "day")
            box.setValue(Data(repeating: UInt8(number & 255), count: 300), forKey: "bytes")
            box.setValue(UUID(), forKey: "uuid")
            box.setValue(URL(string: "https://example.org/\(number)"), forKey: "uri")
            box.setValue(["a", "b"] as NSArray, forKey: "list")
            box.setValue(NSSet(object: label), forKey: "labels")
            return box
        }
        shelf.setValue(NSOrderedSet(array: boxes), forKey: "boxes")
    }

    @discardableResult
    func withContext<T>(
        _ model: NSManagedObjectModel = WarehouseModel.make(), options: [AnyHashable: Any]? = nil,
        _ body: (NSManagedObjectContext) throws -> T
    ) throws -> T {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        defer { try? coordinator.remove(store) }
        return try body(context)
    }

    /// Opens the store until the result is released.
    func open() throws -> OpenWarehouse { try OpenWarehouse(url) }

    /// Changes the file as another program might.
    func edit(_ statements: String...) throws {
        let connection = try Connection(url: url)
        for statement in statements { try connection.execute(statement) }
        _ = try connection.checkpoint(.truncate)
        try connection.close()
    }

    func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: url) }

    /// The files in the folder by name, without those that a reader may leave next to the store.
    func content() throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
            let data = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
            if name.hasSuffix("-wal"), data.isEmpty { continue }
            content[name] = data
        }
        return content
    }

    /// The error of an attempt to open, which must not have changed anything.
    func refusal(
        _ model: NSManagedObjectModel = WarehouseModel.make(), options: [AnyHashable: Any]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> NSError? {
        let before = try content()
        let error = failure { _ = try withContext(model, options: options) { _ in } }
        if error != nil {
            let after = try content()
            #expect(after == before, "the refused file was changed", sourceLocation: location)
        }
        return error
    }

    /// Reads all objects in every way, and returns the thrown errors. A trap ends the test.
    static func readEverything(_ context: NSManagedObjectContext) -> [NSError] {
        var errors: [NSError] = []
        for entity in ["Shelf", "Box", "Crate", "Label"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.returnsObjectsAsFaults = false
            var objects: [NSManagedObject] = []
            errors += [failure { objects = try context.fetch(request) }].compactMap { $0 }
            for object in objects {
                _ = object.objectID.uriRepresentation()
                for key in object.entity.propertiesByName.keys {
                    let value = object.value(forKey: key)
                    if let members = value as? Set<NSManagedObject> {
                        for member in members { _ = member.objectID.uriRepresentation() }
                    }
                    if let members = value as? NSOrderedSet { _ = members.count }
                }
            }
            for format in [
                "text CONTAINS 'x'", "ANY labels.text == 'fragile'", "shelf.name == 'first'", "uuid != nil",
                "exact > 0",
            ] {
                guard entity == "Box" else { continue }
                request.predicate = NSPredicate(format: format)
                errors += [failure { _ = try context.fetch(request) }].compactMap { $0 }
            }
            let rows = NSFetchRequest<NSDictionary>(entityName: entity)
            rows.resultType = .dictionaryResultType
            errors += [failure { _ = try context.fetch(rows) }].compactMap { $0 }
            errors += [failure { _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) }]
                .compactMap { $0 }
        }
        return errors
    }
}

/// A context on a warehouse; the store is closed at the end.
final class OpenWarehouse {
    let context = NSManagedObjectContext(concurrencyType: .confined)
    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
    private let store: NSPersistentStore

    init(_ url: URL) throws {
        store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        context.persistentStoreCoordinator = coordinator
    }

    deinit {
        context.reset()
        try? coordinator.remove(store)
    }
}

func failure(_ body: () throws -> Void) -> NSError? {
    do {
        try body()
        return nil
    } catch {
        return error as NSError
    }
}

/// The same numbers in each run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
