// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decimals that are NaN, which Apple's framework stores as text, are kept by every command.

import CoreData
import Foundation
import SQLiteDriver
import Testing

@testable import CoreDataToolKit

@Suite("Decimals without a value") struct NoNumberTests {
    /// A store with a NaN in Coin/1, and 2.5 in Coin/2.
    private struct Purse {
        let folder: TemporaryFolder
        let url: URL
        let model: URL

        init() throws {
            folder = try TemporaryFolder()
            url = folder.url.appendingPathComponent("Purse.sqlite")
            model = folder.url.appendingPathComponent("Purse.xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            try Data(Self.source.utf8).write(to: model.appendingPathComponent("contents"))
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try #require(NSManagedObjectModel(contentsOf: model)))
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                for number in 1...2 {
                    let coin = NSEntityDescription.insertNewObject(forEntityName: "Coin", into: context)
                    coin.setValue("coin \(number)", forKey: "name")
                    coin.setValue(NSDecimalNumber(string: "2.5"), forKey: "worth")
                    try context.save()
                }
            }
            try coordinator.remove(store)
            let connection = try Connection(url: url, options: .init(access: .readWrite))
            try connection.execute("UPDATE ZCOIN SET ZWORTH = 'NaN' WHERE Z_PK = 1")
            try connection.close()
        }

        static let source = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                <entity name="Coin" representedClassName="NSManagedObject">
                    <attribute name="name" attributeType="String"/>
                    <attribute name="worth" optional="YES" attributeType="Decimal"/>
                </entity>
            </model>
            """
    }

    private func stored(_ url: URL) throws -> [SQLiteValue] {
        let connection = try Connection(url: url, options: .init(access: .readOnly))
        defer { try? connection.close() }
        return try connection.rows("SELECT ZWORTH FROM ZCOIN ORDER BY ZNAME").map { $0[0] }
    }

    @Test("query and sql show them as NaN, and the doctor accepts them")
    func shown() throws {
        let purse = try Purse()
        let query = Query(entityName: "Coin", sortKeys: ["name"], selection: ["worth"])
        let result = try query.run(on: OpenedStore(purse.url))
        #expect(result.rows.map { $0.cells[0] } == [.decimal(.nan), .decimal(2.5)])
        #expect(result.text(.json).contains("\"NaN\""))
        let collector = QueryResult.Collector()
        try NamedViews(purse.url).run("SELECT worth FROM Coin ORDER BY name", into: collector)
        #expect(collector.result.rows.map { $0.cells[0].tableText } == ["NaN", "2.5"])
        #expect(try Doctor(purse.url).examine() == [])
    }

    @Test("an export and its import keep them", arguments: ExchangeFormat.allCases)
    func exchange(_ format: ExchangeFormat) throws {
        let purse = try Purse()
        let export = purse.folder.url.appendingPathComponent("Export")
        let copy = purse.folder.url.appendingPathComponent("Copy.sqlite")
        _ = try StoreExport.write(RowStore(purse.url), to: export, format: format)
        _ = try StoreImport.make(copy, from: ExchangeSource(export), model: nil)
        #expect(try stored(copy) == [.text("NaN"), .real(2.5)])
        var changes: [DataDiff.Change] = []
        _ = try DataDiff(RowStore(purse.url), RowStore(copy), keys: [:]).run { changes.append($0) }
        #expect(changes == [])
    }

    /// Copies the store into an XML store next to it.
    private func xmlCopy(_ purse: Purse) throws -> URL {
        let model = try #require(NSManagedObjectModel(contentsOf: purse.model))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: purse.url)
        let url = purse.folder.url.appendingPathComponent("Purse.xml")
        try coordinator.remove(try coordinator.migratePersistentStore(store, to: url, type: .xml))
        return url
    }

    @Test("an XML store that has one is read, and its export has it")
    func xml() throws {
        let purse = try Purse()
        let connection = try Connection(url: purse.url, options: .init(access: .readWrite))
        try connection.execute("UPDATE ZCOIN SET ZWORTH = 77.25 WHERE Z_PK = 1")
        try connection.close()
        let url = try xmlCopy(purse)
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.contains(">77.25<"))
        try Data(text.replacing(">77.25<", with: ">NaN<").utf8).write(to: url)
        let query = Query(entityName: "Coin", sortKeys: ["name"], selection: ["worth"])
        let result = try query.run(on: OpenedStore(url, model: purse.model))
        #expect(result.rows.map { $0.cells[0] } == [.decimal(.nan), .decimal(2.5)])
        var lines = ""
        _ = try StoreExport.write(RowStore(url, model: purse.model), entity: "Coin", format: .jsonl) { lines += $0 }
        #expect(lines.contains("\"NaN\""), "\(lines)")
    }

    /// Decided by `save()` with `NSDecimalNumber.notANumber` in a new object.
    @Test("a copy into a store that makes new objects is refused, and names the property", .tags(.assumed))
    func newObjects() throws {
        let purse = try Purse()
        let error = #expect(throws: (any Error).self) { _ = try xmlCopy(purse) }
        #expect((error as NSError?)?.code == 1550)
        #expect((error as NSError?)?.userInfo[NSValidationKeyErrorKey] as? String == "worth")
    }

    @Test("an object that has one is saved with it, and a new one is refused")
    func saved() throws {
        let purse = try Purse()
        let model = try #require(NSManagedObjectModel(contentsOf: purse.model))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(type: .sqlite, at: purse.url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let coins = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Coin")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            return try context.fetch(request)
        }
        let worth = context.performAndWait { coins[0].value(forKey: "worth") as? NSDecimalNumber }
        #expect(worth?.decimalValue.isNaN == true)
        try context.performAndWait {
            coins[0].setValue("coin 0", forKey: "name")
            try context.save()
        }
        #expect(try stored(purse.url) == [.text("NaN"), .real(2.5)])
        let code = context.performAndWait { () -> Int? in
            coins[1].setValue(NSDecimalNumber.notANumber, forKey: "worth")
            do {
                try context.save()
                return nil
            } catch {
                return (error as NSError).code
            }
        }
        #expect(code == 1550)
    }

    @Test("a number that SQLite would store as null is refused by an import")
    func refused() throws {
        let garage = try Garage()
        let file = garage.folder.url.appendingPathComponent("Car.jsonl")
        try Data("{\"objectID\": \"Car/1\", \"price\": \"NaN\"}\n".utf8).write(to: file)
        let new = garage.folder.url.appendingPathComponent("New.sqlite")
        let message = OpeningTests.message {
            _ = try StoreImport.make(new, from: ExchangeSource(file), model: garage.model)
        }
        #expect(message.contains("price") && message.contains("NaN"), "\(message)")
    }
}
