// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests which stores are not migrated, with which error, and that they stay byte for byte.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Stores that are not migrated") struct MigrationRefusalTests {
    private func people(_ build: (NSEntityDescription) -> Void) -> NSManagedObjectModel {
        version { $0.entity("Person") { build($0) } }
    }

    private func store(_ count: Int = 2) throws -> MigratingStore {
        try MigratingStore(people { $0.attribute("name", .stringAttributeType) }) { context in
            for _ in 0..<count { context.make("Person", ["name": "Ada"]) }
            context.make("Person")
        }
    }

    private func cause(_ error: NSError) throws -> NSError {
        try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
    }

    private var wider: NSManagedObjectModel {
        people {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("age", .integer16AttributeType)
        }
    }

    /// Proves: G1, G3
    @Test("without the option another version is refused with the store's metadata; descriptions ask for it")
    func withoutOption() throws {
        let store = try store()
        let before = try store.bytes()
        let error = try store.failure(wider, options: nil)
        #expect(error.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect((error.userInfo["metadata"] as? [String: Any])?[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(error.userInfo["reason"] is String)
        #expect(try store.bytes() == before)
        let description = NSPersistentStoreDescription(url: store.url)
        #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
    }

    /// Proves: G4
    @Test("defaults, delete rules, user info, classes, validation and renaming identifiers start no migration")
    func unhashed() throws {
        let store = try store()
        let model = people {
            let name = $0.attribute("name", .stringAttributeType, default: "nobody")
            name.userInfo = ["a": "b"]
            name.renamingIdentifier = "title"
            name.setValidationPredicates([NSPredicate(format: "SELF != 'x'")], withValidationWarnings: ["w"])
            $0.userInfo = ["a": "b"]
        }
        let context = try store.open(model)
        #expect(context.persistentStoreCoordinator?.persistentStores.first?.migrationReport == nil)
        try store.close(context)
        let modified = people { $0.attribute("name", .stringAttributeType).versionHashModifier = "2" }
        let migrated = try store.migrate(to: modified)
        #expect(try migrated.all("Person").count == 3)
        try store.close(migrated)
    }

    /// Proves: G6
    @Test("an unknown source model is 134130; the option for versions provides it") func missingSource() throws {
        let store = try store()
        let connection = try Connection(url: store.url)
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try connection.close()
        let before = try store.bytes()
        let error = try store.failure(wider)
        #expect(error.code == NSMigrationMissingSourceModelError)
        #expect(error.userInfo["reason"] as? String == "Can't find model for source store")
        #expect(error.userInfo["URL"] as? URL == store.url)
        #expect(error.userInfo["metadata"] is [String: Any])
        #expect(try store.bytes() == before)
        let given = people { $0.attribute("name", .stringAttributeType) }
        let context = try store.migrate(to: wider, options: [MigrationOption.versions: [wider, given]])
        #expect(try context.all("Person").count == 3)
        try store.close(context)
        given.entities[0].attribute("stillMutable", .stringAttributeType)
    }

    /// Proves: G7
    @Test("without inferring there is no mapping: 134140") func withoutInferring() throws {
        let store = try store()
        let error = try store.failure(wider, options: [NSMigratePersistentStoresAutomaticallyOption: true])
        #expect(error.code == NSMigrationMissingMappingModelError)
        #expect(error.userInfo["reason"] as? String == "Can't find mapping model for migration")
        #expect(error.userInfo["sourceModel"] is NSManagedObjectModel)
        #expect(error.userInfo["destinationModel"] is NSManagedObjectModel)
    }

    /// Proves: G8, G17
    @Test("another type cannot be inferred: 134140 over 134190, and again in the same way") func otherType() throws {
        let store = try store()
        let before = try store.bytes()
        for _ in 0..<2 {
            let error = try store.failure(people { $0.attribute("name", .dateAttributeType) })
            #expect(error.code == NSMigrationMissingMappingModelError)
            #expect(
                error.userInfo["reason"] as? String
                    == "Can't find or automatically infer mapping model for migration")
            let cause = try cause(error)
            #expect(cause.code == NSInferredMappingModelError)
            #expect(cause.userInfo["entity"] as? String == "Person")
            #expect(cause.userInfo["property"] as? String == "name")
            #expect(
                cause.userInfo["reason"] as? String == "Source and destination attribute types are incompatible")
        }
        #expect(try store.bytes() == before)
    }

    /// Proves: G17
    @Test("two entities without a common ancestor cannot get one") func mergedHierarchies() throws {
        let one = version { model in
            model.entity("Cat")
            model.entity("Dog")
        }
        let two = version { model in
            let animal = model.entity("Animal")
            model.entity("Cat", parent: animal)
            model.entity("Dog", parent: animal)
        }
        #expect(try cause(MigratingStore(one).failure(two)).code == NSInferredMappingModelError)
    }

    /// Proves: G9
    @Test("a store that is opened for reading is not migrated") func readOnly() throws {
        let store = try store()
        let before = try store.bytes()
        let options = MigratingStore.migrating.merging([NSReadOnlyPersistentStoreOption: true]) { $1 }
        let error = try store.failure(wider, options: options)
        #expect(error.code == NSMigrationError)
        #expect(try cause(error).code == CocoaError.Code.fileWriteNoPermission.rawValue)
        #expect(try store.bytes() == before)
    }

    /// Proves: G11, G21, G71
    @Test("a mandatory attribute without a value or a default ends the migration; an empty table does not")
    func missingValue() throws {
        let mandatory = { self.people { $0.attribute("name", .stringAttributeType, optional: false) } }
        let new = people {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("age", .integer16AttributeType, optional: false)
        }
        let store = try store()
        let before = try store.bytes()
        for (model, attribute) in [(mandatory(), "name"), (new, "age"), (mandatory(), "name")] {
            let error = try store.failure(model)
            let reason = "Validation error missing attribute values on mandatory destination attribute"
            #expect(error.code == NSMigrationError)
            #expect(error.userInfo["sourceURL"] as? URL == store.url)
            #expect(error.userInfo["reason"] as? String == "Cannot migrate store in-place: \(reason)")
            let name = (error.userInfo["destinationURL"] as? URL)?.lastPathComponent
            #expect(name?.wholeMatch(of: /\.store\.sqlite\.migrationdestination_[0-9A-Fa-f]{32}/) != nil)
            let cause = try cause(error)
            #expect(cause.code == NSMigrationError)
            #expect(cause.userInfo["entity"] as? String == "Person")
            #expect(cause.userInfo["attribute"] as? String == attribute)
            #expect(cause.userInfo["reason"] as? String == reason)
        }
        #expect(try store.bytes() == before)
        let empty = try MigratingStore(people { $0.attribute("name", .stringAttributeType) })
        try empty.close(try empty.migrate(to: new))
    }

    /// Proves: G29, G71
    @Test("duplicates under a new constraint end the migration; unique values get the constraint") func duplicates()
        throws
    {
        let unique = {
            self.people {
                $0.attribute("name", .stringAttributeType)
                $0.uniquenessConstraints = [["name"]]
            }
        }
        let store = try store()
        let before = try store.bytes()
        let error = try store.failure(unique())
        #expect(error.code == NSMigrationError)
        #expect(try cause(error).code == NSMigrationConstraintViolationError)
        #expect(try cause(error).userInfo["reason"] as? String == "constraint violation during attempted migration")
        #expect(try store.bytes() == before)
        let single = try self.store(1)
        try single.close(try single.migrate(to: unique()))
        let back = try single.migrate(to: wider)
        #expect(try back.all("Person").count == 2)
        try single.close(back)
    }

    /// Proves: G80
    @Test("a store that another process has open is not changed under it: 134090") func inUse() throws {
        let store = try store()
        let user = try ForeignUser(of: store.url)
        let options = MigratingStore.migrating.merging([NSPersistentStoreTimeoutOption: 0.2]) { $1 }
        let error = try store.failure(wider, options: options)
        #expect(error.code == NSPersistentStoreTimeoutError)
        try user.add("Cy")
        try user.close()
        let context = try store.migrate(to: wider)
        #expect(try context.all("Person").count == 4)
        try store.close(context)
    }

    /// Proves: G79
    @Test("of several openers one migrates, and all can work") func severalOpeners() async throws {
        let store = try store(200)
        let url = store.url
        let models = (0..<4).map { _ in wider }
        let reports = try await withThrowingTaskGroup(of: Bool.self) { group in
            for model in models {
                group.addTask {
                    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                    let opened = try coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                        options: [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true, NSPersistentStoreTimeoutOption: 60,
                        ])
                    return opened.migrationReport != nil
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reports.count { $0 } == 1)
        let context = try store.open(wider, options: nil)
        #expect(try context.all("Person").count == 201)
        try store.close(context)
    }

    /// Proves: G79
    @Test("an opener with old metadata finds a store that another one has migrated since") func staleMetadata() throws {
        let store = try store()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store.url)
        try store.close(try store.migrate(to: wider))
        let model = wider
        let target = MigrationTarget(layout: try model.compiledLayout(), entities: model.entities)
        let migration = SchemaMigration(
            store: StoreLocation(url: store.url, type: NSSQLiteStoreType, options: MigratingStore.migrating),
            configuration: nil, model: model, target: target)
        #expect(try migration.run(metadata: metadata) == nil)
        let context = try store.open(model, options: nil)
        #expect(try context.all("Person").count == 3)
        try store.close(context)
    }

    /// Proves: G10
    @Test("a store of a configuration is migrated as far as the configuration goes") func configuration() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                model.entity("Alien")
                let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
                if isNew { person.attribute("age", .integer16AttributeType) }
                model.setEntities([person], forConfigurationName: "people")
            }
        }
        let store = try MigratingStore()
        let first = try store.open(model(false), configuration: "people")
        first.make("Person", ["name": "Ada"])
        try first.save()
        try store.close(first)
        let second = try store.open(model(true), configuration: "people")
        #expect(try second.values("Person", "name") == ["Ada"])
        try store.close(second)
        #expect(try store.column("SELECT Z_NAME FROM Z_PRIMARYKEY") == [.text("Person")])
        #expect(try store.column("SELECT Z_ENT FROM ZPERSON") == [.integer(1)])
    }
}
