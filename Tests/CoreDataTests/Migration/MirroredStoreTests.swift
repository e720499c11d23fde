// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations of stores that CloudKit mirrors: each record stays with its object.

import CoreDataTestSupport
import FixtureFiles
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Migrating a mirrored store") struct MirroredStoreTests {
    /// Car 1, Person 2, Ship 3.
    private let old = version { model in
        model.entity("Car") { $0.attribute("name", .stringAttributeType) }
        model.entity("Person") { $0.attribute("name", .stringAttributeType) }
        model.entity("Ship") { $0.attribute("name", .stringAttributeType) }
    }

    /// Airplane 1, Person 2, Vehicle 3 (the cars), Zone 4; no ships.
    private let new = version { model in
        model.entity("Airplane") { $0.attribute("name", .stringAttributeType) }
        model.entity("Person") { $0.attribute("name", .stringAttributeType) }
        model.entity("Vehicle", former: "Car") { $0.attribute("name", .stringAttributeType) }
        model.entity("Zone")
    }

    private func mirrored(_ kind: StoreKind = .sqlite) throws -> MigratingStore {
        let store = try MigratingStore(old, in: kind) { context in
            for number in 1...3 {
                context.make("Car", ["name": "Car \(number)"])
                context.make("Person", ["name": "Person \(number)"])
                context.make("Ship", ["name": "Ship \(number)"])
            }
        }
        let connection = try Connection(url: store.url)
        for statement in MirroredTables.statements { try connection.execute(statement) }
        var key = 0
        for number in 1...3 {
            for entity in ["Car", "Person", "Ship"] {
                key += 1
                let object = try connection.value(
                    "SELECT Z_PK FROM Z\(entity.uppercased()) WHERE ZNAME = '\(entity) \(number)'")
                let row = Int(object?.integerValue ?? 0)
                try connection.execute(MirroredTables.record(key, of: row, entity: entity, name: "\(entity) \(number)"))
                try connection.execute(MirroredTables.state(key, of: row, entity: entity))
                try connection.execute(
                    "INSERT INTO ANSCKRECORDZONEMOVERECEIPT (Z_PK, Z_ENT, Z_OPT, ZRECORDMETADATA) VALUES (\(key), 17013, 1, \(key))"
                )
            }
        }
        // Its object is gone, and the deletion has not been sent.
        try connection.execute(MirroredTables.record(40, of: 9, entity: "Car", name: "Car 9", deleted: true))
        try connection.execute(MirroredTables.record(41, of: 1, entity: "no entity", name: "nobody"))
        try connection.execute("UPDATE ANSCKRECORDMETADATA SET ZENTITYID = 4 WHERE Z_PK = 41")
        try connection.close()
        return store
    }

    private func names(_ store: MigratingStore, _ entity: String, _ table: String) throws -> [String] {
        try store.column(
            "SELECT R.ZCKRECORDNAME || ' is ' || O.ZNAME FROM ANSCKRECORDMETADATA AS R JOIN Z_PRIMARYKEY AS P ON "
                + "P.Z_ENT = R.ZENTITYID JOIN \(table) AS O ON O.Z_PK = R.ZENTITYPK AND O.Z_ENT = R.ZENTITYID "
                + "WHERE P.Z_NAME = '\(entity)' ORDER BY 1"
        ).compactMap(\.textValue)
    }

    private func requireRecords(_ store: MigratingStore) throws {
        let (people, cars) = (["Person 1", "Person 2", "Person 3"], ["Car 1", "Car 2", "Car 3"])
        #expect(try names(store, "Person", "ZPERSON") == people.map { "\($0) is \($0)" })
        #expect(try names(store, "Vehicle", "ZVEHICLE") == cars.map { "\($0) is \($0)" })
        // Those of ships, and of a number that no entity had, are gone.
        let all = try store.column("SELECT ZCKRECORDNAME FROM ANSCKRECORDMETADATA ORDER BY Z_PK").compactMap(
            \.textValue)
        #expect(all == ["Car 1", "Person 1", "Car 2", "Person 2", "Car 3", "Person 3", "Car 9"])
        let states = "ANSCKHISTORYANALYZERSTATE AS S JOIN ANSCKRECORDMETADATA AS R USING (ZENTITYID, ZENTITYPK)"
        #expect(try store.column("SELECT COUNT(*) FROM \(states)") == [.integer(6)])
        #expect(try store.column("SELECT COUNT(*) FROM ANSCKHISTORYANALYZERSTATE") == [.integer(6)])
        #expect(try store.column("SELECT COUNT(*) FROM ANSCKRECORDZONEMOVERECEIPT") == [.integer(6)])
        let keys = try store.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT >= 17000 ORDER BY Z_ENT")
        #expect(keys.compactMap(\.integerValue) == [1, 50, 50, 50, 1, 50])
        #expect(try store.column("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'Z_NSCK%'") == [.integer(3)])
    }

    @Test("by statements records follow the numbers of their entities, and those of removed entities go")
    func statements() throws {
        let store = try mirrored()
        let context = try store.migrate(to: new)
        try store.close(context)
        try requireRecords(store)
        let gone = try store.column(
            "SELECT ZENTITYPK FROM ANSCKRECORDMETADATA WHERE ZCKRECORDNAME = 'Car 9' AND ZENTITYID = 3")
        #expect(gone == [.integer(9)])
    }

    /// Decided by `NSMigrationManager` on a store with tables of CloudKit's mirror: the rows of `ANSCKRECORDMETADATA`.
    @Test("by objects the mirror goes along, and records follow the new keys of their objects", .tags(.assumed))
    func objects() throws {
        let store = try mirrored()
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        let migration = ObjectMigration(
            store: StoreLocation(url: store.url, type: NSSQLiteStoreType, options: nil), configuration: nil,
            source: old, destination: new,
            mapping: mapping)
        try migration.run()
        try requireRecords(store)
        // The record of a deleted object has a key that no object gets.
        let gone = try #require(
            try store.column(
                "SELECT ZENTITYPK FROM ANSCKRECORDMETADATA WHERE ZCKRECORDNAME = 'Car 9' AND ZENTITYID = 3"
            )
            .first?.integerValue)
        let context = try store.open(new, options: nil)
        let car = context.make("Vehicle", ["name": "Car 4"])
        try context.save()
        #expect(
            try context.values("Vehicle", "name").compactMap { $0 }.sorted() == ["Car 1", "Car 2", "Car 3", "Car 4"])
        #expect(car.objectID.rowKey > Int(gone))
        try store.close(context)
    }

    @Test("a store without a mirror gets none", arguments: [true, false]) func unmirrored(byStatements: Bool) throws {
        let store = try MigratingStore(old) { $0.make("Car", ["name": "Car"]) }
        if byStatements {
            try store.close(try store.migrate(to: new))
        } else {
            try ObjectMigration(
                store: StoreLocation(url: store.url, type: NSSQLiteStoreType, options: nil), configuration: nil,
                source: old,
                destination: new, mapping: nil
            ).run()
        }
        #expect(try store.column("SELECT name FROM sqlite_master WHERE name LIKE 'ANSCK%'") == [])
    }
}
