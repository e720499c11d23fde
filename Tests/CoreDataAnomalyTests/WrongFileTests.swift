// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files that are no store, or one of another model, are refused with an explanation, and stay as they are.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@Suite("Files that cannot be opened") struct WrongFileTests {
    @Test("opening read-only makes no store") func missing() throws {
        let warehouse = try Warehouse(boxes: nil)
        let error = try warehouse.refusal(options: [NSReadOnlyPersistentStoreOption: true])
        #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(try warehouse.content().isEmpty)
    }

    @Test("a folder that is not there is not made") func missingFolder() throws {
        let warehouse = try Warehouse(boxes: nil)
        let url = warehouse.folder.appending(path: "nowhere/Store.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let error = failure {
            try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try warehouse.content().isEmpty)
    }

    @Test("a folder is no store") func folder() throws {
        let warehouse = try Warehouse(boxes: nil)
        try FileManager.default.createDirectory(at: warehouse.url, withIntermediateDirectories: true)
        let error = try warehouse.refusal()
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == CocoaError.fileReadCorruptFile.rawValue)
        #expect(error?.localizedDescription.contains(warehouse.url.path) == true)
    }

    @Test("a file that is no database is refused", arguments: [1, 15, 16, 100, 512, 4096, 10_000])
    func noDatabase(length: Int) throws {
        var random = Seeded(state: UInt64(length))
        for bytes in [
            Array(repeating: UInt8(ascii: "A"), count: length), Array(repeating: 0, count: length),
            (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) },
        ] {
            let warehouse = try Warehouse(boxes: nil)
            try warehouse.write(bytes)
            let error = try warehouse.refusal()
            #expect(error?.domain == NSCocoaErrorDomain)
            #expect(
                error?.code == CocoaError.fileReadCorruptFile.rawValue, "\(length) bytes beginning with \(bytes[0])")
        }
    }

    @Test("an empty file becomes a store") func empty() throws {
        let warehouse = try Warehouse(boxes: nil)
        try warehouse.write([])
        try warehouse.withContext { context in
            Warehouse.fill(context, 1)
            try context.save()
        }
        let count = try warehouse.withContext { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box")) }
        #expect(count == 1)
    }

    @Test("a database without a store in it is refused") func foreignDatabase() throws {
        for statement in [
            "CREATE TABLE notes (text)", "CREATE TABLE Z_METADATA (x)",
            "CREATE TABLE ZBOX (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE VIEW Z_METADATA AS SELECT 1 AS Z_VERSION, 'x' AS Z_UUID, x'00' AS Z_PLIST",
        ] {
            let warehouse = try Warehouse(boxes: nil)
            try warehouse.edit(statement)
            let error = try warehouse.refusal()
            #expect(error?.domain == NSCocoaErrorDomain, "\(statement)")
            #expect(
                error?.code == CocoaError.fileReadCorruptFile.rawValue, "\(statement): \(String(describing: error))")
        }
    }

    @Test(
        "a store with manipulated metadata or tables is refused",
        arguments: [
            "DELETE FROM Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = NULL", "UPDATE Z_METADATA SET Z_PLIST = x'00FF'",
            "UPDATE Z_METADATA SET Z_PLIST = 'bplist00'", "UPDATE Z_METADATA SET Z_PLIST = 7", "DROP TABLE Z_METADATA",
            "DROP TABLE Z_PRIMARYKEY",
            "DELETE FROM Z_PRIMARYKEY", "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Box'", "DROP TABLE ZBOX",
            "ALTER TABLE ZBOX DROP COLUMN ZTEXT",
            "ALTER TABLE ZSHELF RENAME TO ZOTHER", "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 50",
            "UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT",
            "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL", "UPDATE Z_PRIMARYKEY SET Z_MAX = 'x'",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL",
            "UPDATE Z_METADATA SET Z_UUID = NULL", "UPDATE Z_METADATA SET Z_UUID = 7", "DELETE FROM Z_MODELCACHE",
            "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'",
            "DROP TABLE Z_MODELCACHE", "UPDATE Z_PRIMARYKEY SET Z_MAX = -5", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 99",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807",
        ])
    func tampered(statement: String) throws {
        let warehouse = try Warehouse()
        try warehouse.edit(statement)
        let before = try warehouse.content()
        // Some of this is harmless; then the store has to work.
        let error = failure {
            try warehouse.withContext { context in
                _ = Warehouse.readEverything(context)
                Warehouse.fill(context, 2)
                try context.save()
            }
        }
        if let error {
            #expect(error.domain == NSCocoaErrorDomain, "\(error)")
            #expect(try warehouse.content() == before, "\(error)")
        } else {
            let connection = try Connection(url: warehouse.url)
            #expect(try connection.integrityCheck().isEmpty)
            let count = try connection.value("SELECT COUNT(*) FROM ZBOX")?.integerValue
            #expect(count == 22)
            try connection.close()
        }
    }

    @Test("another model is refused with 134100, and the error names the differences") func otherModel() throws {
        let warehouse = try Warehouse()
        let error = try warehouse.refusal(WarehouseModel.make(changed: true))
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error?.localizedDescription.contains("Label") == true)
        #expect(error?.localizedDescription.contains("Shelf") == false)
        let strange = try warehouse.refusal(NamedModel.make())
        #expect(strange?.code == NSPersistentStoreIncompatibleVersionHashError)
        for name in ["Named", "Box", "Crate", "Label", "Shelf"] {
            #expect(strange?.localizedDescription.contains(name) == true)
        }
        #expect(try warehouse.refusal() == nil)
    }

    @Test("a store of a newer framework is refused, and the error says so") func newerFramework() throws {
        let warehouse = try Warehouse()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: WarehouseModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: warehouse.url)
        var metadata = coordinator.metadata(for: store)
        metadata["NSStoreModelVersionHashesVersion"] = 99
        coordinator.setMetadata(metadata, for: store)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        Warehouse.fill(context, 1)
        try context.save()
        try coordinator.remove(store)
        let error = try warehouse.refusal()
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.localizedDescription.contains("newer") == true, "\(String(describing: error))")
        #expect(error?.localizedDescription.contains("99") == true)
    }

    @Test("a configuration, a type or a URL that does not exist is an error") func wrongArguments() throws {
        let warehouse = try Warehouse(boxes: nil)
        let model = WarehouseModel.make()
        model.setEntities(model.entities, forConfigurationName: "All")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let attempts: [(String, String?, URL?)] = [
            ("Paper", nil, warehouse.url), (NSSQLiteStoreType, "None", warehouse.url), (NSSQLiteStoreType, nil, nil),
            (NSSQLiteStoreType, nil, URL(string: "https://example.org/store")!),
        ]
        for (type, configuration, url) in attempts {
            let error = failure {
                try coordinator.addPersistentStore(ofType: type, configurationName: configuration, at: url)
            }
            #expect(error?.domain == NSCocoaErrorDomain, "\(type) \(configuration ?? "")")
        }
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try warehouse.content().isEmpty)
    }

    @Test("options of the wrong kind are an error or without effect") func wrongOptions() throws {
        let warehouse = try Warehouse()
        let attempts: [[AnyHashable: Any]] = [
            [NSSQLitePragmasOption: "x"], [NSSQLitePragmasOption: ["journal_mode": ["x"]]],
            [NSSQLitePragmasOption: ["no; DROP TABLE ZBOX": 1]],
            [NSSQLitePragmasOption: ["journal_mode": "nonsense"]], [NSSQLitePragmasOption: [7: 7]],
            [NSPersistentStoreTimeoutOption: "soon"],
            [NSPersistentStoreTimeoutOption: -5], [NSPersistentStoreTimeoutOption: Double.nan],
            [NSPersistentStoreTimeoutOption: Double.infinity],
            [NSReadOnlyPersistentStoreOption: "maybe"], ["unknown": 1], [7: 7],
            [NSSQLitePragmasOption: ["cache_size": "1; DROP TABLE ZBOX"]],
        ]
        for options in attempts {
            let error = failure { try warehouse.withContext(options: options) { _ = Warehouse.readEverything($0) } }
            #expect([nil, NSCocoaErrorDomain].contains(error?.domain), "\(options): \(String(describing: error))")
        }
        let count = try warehouse.withContext { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Box")) }
        #expect(count == 20)
    }
}
