// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store on a server: values written and read, hostile names and values, keys, round trips.

import CoreDataTestSupport
import Foundation
import PostgreSQLDriver
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("A store in PostgreSQL", .needsServer) struct ServerTests {
    private static func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Select"
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        entity.properties = [
            attribute("user", .stringAttributeType), attribute("order", .integer64AttributeType),
            attribute("small", .integer16AttributeType), attribute("exact", .decimalAttributeType),
            attribute("at", .dateAttributeType), attribute("real", .doubleAttributeType),
            attribute("isOn", .booleanAttributeType), attribute("uuid", .UUIDAttributeType),
            attribute("uri", .URIAttributeType), attribute("data", .binaryDataAttributeType),
        ]
        model.entities = [entity]
        return model
    }

    private static let entity = "Select"

    @Test("values of all types are read as they were saved, with any text") func values() throws {
        let stack = try Stack(.postgresql, Self.model())
        let hostile = "Robert'); DROP TABLE x; --\n\\ $1 ? \"é e\u{301}\""
        let values: [String: Any] = [
            "user": hostile, "order": Int64.min, "small": -7, "exact": NSDecimalNumber(string: "0.1234567890123456789"),
            "at": Date(timeIntervalSinceReferenceDate: 1.25), "real": -Double.infinity, "isOn": true, "uuid": UUID(),
            "uri": try #require(URL(string: "http://a.b/?q='x'")), "data": Data((0...255).map { UInt8($0) }),
        ]
        let object = stack.insert(Self.entity)
        for (key, value) in values { object.setValue(value, forKey: key) }
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: Self.entity)
        request.predicate = NSPredicate(format: "user == %@", hostile)
        let read = try stack.stored(request) { object in
            values.allSatisfy { key, value in (object.value(forKey: key) as? NSObject)?.isEqual(value) == true }
        }
        #expect(read == [true])
    }

    @Test("a schema's name cannot end its quotes", arguments: ["a\"; DROP TABLE b; --", "a'b\\", "ABC d?"])
    func hostileSchema(name: String) throws {
        let base = try #require(StoreKind.serverURL)
        let url = try #require(URL(string: base))
        let options = [NSPostgreSQLSchemaOption: "\(name) \(UUID().uuidString.prefix(8))"]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.postgresql.type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        _ = NSEntityDescription.insertNewObject(forEntityName: Self.entity, into: context)
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: Self.entity)) == 1)
        try coordinator.remove(store)
        try coordinator.destroyPersistentStore(at: url, ofType: StoreKind.postgresql.type, options: options)
    }

    @Test("no value is part of a text that is sent") func bound() throws {
        let stack = try Stack(.postgresql, Self.model())
        let texts = Mutex<[String]>([])
        try stack.server.sessions.observe { text in texts.withLock { $0.append(text) } }
        let object = stack.insert(Self.entity)
        object.setValue("sesame", forKey: "user")
        object.setValue(31_415_926, forKey: "order")
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: Self.entity)
        for format in ["user == 'sesame'", "user LIKE 'ses*'", "user CONTAINS[c] 'SESAME'", "order IN {31415926, 2}"] {
            request.predicate = NSPredicate(format: format)
            #expect(try stack.newContext().count(for: request) == 1)
        }
        let sent = texts.withLock { $0 }
        #expect(!sent.isEmpty)
        #expect(!sent.contains { $0.lowercased().contains("sesame") || $0.contains("31415926") })
    }

    @Test("a string that the server cannot hold is refused before anything is sent, by name") func nul() throws {
        let stack = try Stack(.postgresql, Self.model())
        let object = stack.insert(Self.entity)
        object.setValue("a\0b", forKey: "user")
        let error = #expect(throws: (any Error).self) { try stack.context.save() }
        #expect("\(try #require(error))".contains("user"))
        #expect(stack.context.insertedObjects == [object])
    }

    @Test("a date finer than a microsecond is shown as it is kept") func fineDates() throws {
        let stack = try Stack(.postgresql, Self.model())
        let object = stack.insert(Self.entity)
        object.setValue(Date(timeIntervalSinceReferenceDate: 1.000_000_4), forKey: "at")
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: Self.entity)
        let kept = Date(timeIntervalSinceReferenceDate: 1)
        #expect(try stack.stored(request) { $0.value(forKey: "at") as? Date } == [kept])
        stack.context.refresh(object, mergeChanges: false)
        #expect(object.value(forKey: "at") as? Date == kept)
    }

    @Test("keys of several stores in one schema never meet") func keys() throws {
        let stack = try Stack(.postgresql, Self.model())
        let (other, second) = try stack.secondCoordinator()
        for round in 0..<3 {
            for context in [stack.context, second] {
                for _ in 0..<(round * 120 + 1) {
                    _ = NSEntityDescription.insertNewObject(forEntityName: Self.entity, into: context)
                }
                try context.save()
            }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: Self.entity)
        #expect(try stack.newContext().count(for: request) == 2 * (1 + 121 + 241))
        for store in other.persistentStores { try other.remove(store) }
    }

    @Test("the store's error names no password, and describes the failure") func refused() throws {
        let url = try #require(URL(string: "postgresql://nobody:sesame@127.0.0.1:1/none?schema=x"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let error = #expect(throws: (any Error).self) {
            try coordinator.addPersistentStore(ofType: StoreKind.postgresql.type, configurationName: nil, at: url)
        }
        let shown = "\(try #require(error) as NSError) \((error as NSError?)?.userInfo ?? [:])"
        #expect(!shown.contains("sesame"))
        #expect(shown.contains("127.0.0.1"))
    }
}
