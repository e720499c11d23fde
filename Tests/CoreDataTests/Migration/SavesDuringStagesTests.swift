// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Programs with the old version of a model that save while another one migrates the store through a stage.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Saves while a stage runs") struct SavesDuringStagesTests {
    /// A kind of store, with its journal.
    enum Kind: String, CaseIterable {
        case log, journal, xml, binary

        var store: StoreKind {
            switch self {
            case .log, .journal: .sqlite
            case .xml: .xml
            case .binary: .binary
            }
        }

        var options: [AnyHashable: Any] {
            [
                NSSQLitePragmasOption: ["journal_mode": self == .journal ? "DELETE" : "WAL"],
                NSPersistentStoreTimeoutOption: 0.1,
            ]
        }

        func open(_ store: MigratingStore) throws -> NSManagedObjectContext {
            try store.open(SavesDuringStagesTests.people(hasAge: false), options: options)
        }

        /// A program with the old version that opens the store, saves and closes it.
        func add(_ name: String, to store: MigratingStore) throws {
            let context = try open(store)
            context.make("Person", ["name": name])
            try context.save()
            try store.close(context)
        }
    }

    typealias Handler = () throws -> Void

    private static func people(hasAge: Bool) -> NSManagedObjectModel {
        version { model in
            model.entity("Person") { person in
                person.attribute("name", .stringAttributeType)
                if hasAge { person.attribute("age", .integer64AttributeType) }
            }
        }
    }

    private func store(_ kind: Kind) throws -> MigratingStore {
        let store = try MigratingStore(kind.store)
        try kind.add("Ada", to: store)
        return store
    }

    private func options(_ kind: Kind, will: @escaping Handler, did: @escaping Handler) -> [AnyHashable: Any] {
        let models = [false, true].map(Self.people)
        let references = models.map { NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum) }
        let stage = NSCustomMigrationStage(migratingFrom: references[0], to: references[1])
        stage.willMigrateHandler = { _, _ in try will() }
        stage.didMigrateHandler = { _, _ in try did() }
        var options = kind.options
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = NSStagedMigrationManager([stage])
        return options
    }

    /// The error of an opening through the stage.
    private func failure(
        _ kind: Kind, _ store: MigratingStore, will: @escaping Handler = {}, did: @escaping Handler = {}
    ) throws -> NSError {
        try store.failure(Self.people(hasAge: true), options: options(kind, will: will, did: did))
    }

    /// The names in a store after an opening that runs the stage.
    private func migrated(_ kind: Kind, _ store: MigratingStore) throws -> Set<String?> {
        let context = try store.open(Self.people(hasAge: true), options: options(kind, will: {}, did: {}))
        let names = Set(try context.values("Person", "name"))
        try store.close(context)
        return names
    }

    private func files(_ store: MigratingStore) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.folder.path).filter { $0.contains(".half") }
    }

    /// Proves: G51, G80
    @Test("a save of a program that opens and closes the store in between stays: 134110", arguments: Kind.allCases)
    func passing(_ kind: Kind) throws {
        let store = try store(kind)
        let before = try failure(kind, store, will: { try kind.add("Bob", to: store) })
        let after = try failure(kind, store, did: { try kind.add("Cy", to: store) })
        #expect(before.code == NSMigrationError)
        #expect(after.code == NSMigrationError)
        let context = try kind.open(store)
        #expect(Set(try context.values("Person", "name")) == ["Ada", "Bob", "Cy"])
        try store.close(context)
        #expect(try migrated(kind, store) == ["Ada", "Bob", "Cy"])
        #expect(try files(store) == [])
    }

    /// Proves: G80
    @Test("no stage begins for a database that another process has open: 134090", arguments: [Kind.log, .journal])
    func open(_ kind: Kind) throws {
        let store = try store(kind)
        let user = try ForeignUser(of: store.url)
        var isCalled = false
        let error = try failure(kind, store, will: { isCalled = true })
        #expect(error.code == NSPersistentStoreTimeoutError)
        #expect(!isCalled)
        try user.add("Bob")
        try user.close()
        #expect(try migrated(kind, store) == ["Ada", "Bob"])
    }

    /// Proves: G80
    @Test(
        "a database that another process opens meanwhile stays as it is: 134090", arguments: [Kind.log, .journal])
    func openAtTheEnd(_ kind: Kind) throws {
        let store = try store(kind)
        var found: ForeignUser?
        let error = try failure(kind, store, did: { found = try ForeignUser(of: store.url) })
        #expect(error.code == NSPersistentStoreTimeoutError)
        let user = try #require(found)
        try user.add("Bob")
        try user.close()
        #expect(try migrated(kind, store) == ["Ada", "Bob"])
    }

    /// Proves: G80
    @Test("a file that an open program has saved in between stays: 134110", arguments: [Kind.xml, .binary])
    func openFile(_ kind: Kind) throws {
        let store = try store(kind)
        let user = try kind.open(store)
        user.make("Person", ["name": "Bob"])
        let error = try failure(kind, store, will: { try user.save() })
        #expect(error.code == NSMigrationError)
        try store.close(user)
        #expect(try migrated(kind, store) == ["Ada", "Bob"])
    }

    /// Proves: G51, G80
    @Test("a store that was only read in between is migrated", arguments: Kind.allCases)
    func reading(_ kind: Kind) throws {
        let store = try store(kind)
        let look = {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.store.type, at: store.url)
        }
        let context = try store.open(Self.people(hasAge: true), options: options(kind, will: look, did: look))
        #expect(try context.values("Person", "name") == ["Ada"])
        try store.close(context)
    }

    /// The times of a file have a limited resolution, and a small store can be copied and saved within one step.
    @Test("the state of a database is another one after a save, even with the same file times") func state() throws {
        let store = try store(.journal)
        func number() throws -> UInt32? {
            try SQLiteStore.unusedState(of: store.url, options: Kind.journal.options).transactions
        }
        let first = try #require(try number())
        #expect(try number() == first)
        try Kind.journal.add("Bob", to: store)
        let second = try #require(try number())
        #expect(second != first)
        try Kind.log.add("Cy", to: store)
        let third = try #require(try number())
        #expect(third != second)
    }
}
