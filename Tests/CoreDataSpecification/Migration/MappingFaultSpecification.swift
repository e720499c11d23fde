// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What mapping models may say, and the errors of those that say something else.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Expressions and faults of mapping models") struct MappingFaultSpecification {
    private let new = LibraryModels.second()

    private func mapping(_ library: LibraryStore, to new: NSManagedObjectModel? = nil) throws -> NSMappingModel {
        let model = try NSMappingModel.inferredMappingModel(
            forSourceModel: library.old, destinationModel: new ?? self.new)
        model.entityMappingsByName["IEM_Transform_Volume"]?.entityMigrationPolicyClassName =
            String(reflecting: AnsweringPolicy.self)
        return model
    }

    private func volume(_ model: NSMappingModel) throws -> NSEntityMapping {
        try #require(model.entityMappingsByName["IEM_Transform_Volume"])
    }

    private func attribute(_ name: String, _ model: NSMappingModel) throws -> NSPropertyMapping {
        try #require(try volume(model).attributeMappings?.first { $0.name == name })
    }

    private func relationship(_ name: String, _ model: NSMappingModel) throws -> NSPropertyMapping {
        try #require(try volume(model).relationshipMappings?.first { $0.name == name })
    }

    private func migrate(
        _ library: LibraryStore, _ model: NSMappingModel, to new: NSManagedObjectModel? = nil
    ) throws {
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: new ?? self.new)
        manager.userInfo = ["word": "yes"]
        try library.migrate(manager, model, to: library.kind)
    }

    /// The error, after which nothing has been made.
    private func failure(
        _ library: LibraryStore, _ model: NSMappingModel, to new: NSManagedObjectModel? = nil
    ) throws -> NSError {
        let files = library.files
        let error = thrown { try migrate(library, model, to: new) }
        #expect(library.files == files)
        return try #require(error)
    }

    private func volumes(_ library: LibraryStore) throws -> [[String?]] {
        let stack = try OpenStack(library.kind, new, library.place())
        let found = try stack.objects("Volume", sortedBy: "name").map { volume in
            [
                volume.value(forKey: "name") as? String,
                (volume.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String,
            ]
        }
        try stack.close()
        return found
    }

    /// Proves: G40
    @Test("a source expression may be a list of objects, which alone are migrated", arguments: StoreKind.files)
    func list(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let model = try mapping(library)
        try volume(model).sourceExpression = NSExpression(
            format: #"FUNCTION($entityPolicy, "longBooks:", $manager.sourceContext)"#)
        try migrate(library, model)
        #expect(try volumes(library) == [["Dune", "Frank"], ["Emma", "Jane"]])
    }

    /// Proves: G40, G41
    @Test(
        "a source expression without a list of source objects is an error with its mapping",
        arguments: ["'Emma'", "$whisper"])
    func noList(format: String) throws {
        let library = try LibraryStore(.sqlite)
        let model = try mapping(library)
        try volume(model).sourceExpression = NSExpression(format: format)
        let error = try failure(library, model)
        #expect(error.code == NSMigrationError)
        #expect("\(error) \(error.userInfo)".contains("IEM_Transform_Volume"))
    }

    /// Proves: G40
    @Test("expressions have all keys of the manager", arguments: StoreKind.files)
    func managerKeys(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let model = try mapping(library)
        let keys = [
            "self", "sourceContext", "destinationContext", "sourceModel", "destinationModel", "mappingModel",
            "currentEntityMapping", "migrationProgress", "userInfo.word",
        ].map { "$manager.\($0)" }.joined(separator: ", ")
        try attribute("name", model).valueExpression = NSExpression(
            format: "FUNCTION($entityPolicy, \"keys:\", \(keys))")
        try migrate(library, model)
        #expect(try volumes(library).map(\.first) == Array(repeating: "true true yes", count: 3))
        try attribute("name", model).valueExpression = NSExpression(format: "$manager.whisper")
        try FileManager.default.removeItem(at: library.place())
        let error = try failure(library, model)
        #expect("\(error) \(error.userInfo)".contains("whisper"))
    }

    /// Proves: G39, G40
    @Test(
        "relationships may be set by partners in either direction", arguments: StoreKind.files,
        [
            #"FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "IEM_Transform_Author", FUNCTION($entityPolicy, "authors:", FUNCTION($manager, "sourceInstancesForEntityMappingNamed:destinationInstances:", "IEM_Transform_Volume", $destination)))"#,
            #"FUNCTION($manager, "destinationInstancesForSourceRelationshipNamed:sourceInstances:", "author", FUNCTION($entityPolicy, "same:", $source.author))"#,
        ])
    func partners(kind: StoreKind, format: String) throws {
        let library = try LibraryStore(kind)
        let model = try mapping(library)
        for mapping in model.entityMappings where mapping.destinationEntityName == "Author" {
            mapping.relationshipMappings = nil
        }
        try relationship("author", model).valueExpression = NSExpression(format: format)
        try migrate(library, model)
        #expect(try volumes(library) == [["Dune", "Frank"], ["Emma", "Jane"], ["Persuasion", "Jane"]])
    }

    /// Proves: G40, G41
    @Test(
        "functions of the manager name what they cannot use: 134170",
        arguments: [
            (#""fetchRequestForSourceEntityNamed:predicateString:", "Nowhere", "pages > 1""#, "Nowhere"),
            (#""fetchRequestForSourceEntityNamed:predicateString:", "Book", "pages >""#, "pages >"),
            (#""fetchRequestForSourceEntityNamed:predicateString:", 7, "pages > 1""#, "no name"),
            (#""sourceInstancesForEntityMappingNamed:destinationInstances:", "IEM_Transform_Volume", 7"#, "collection"),
            (#""destinationInstancesForSourceRelationshipNamed:sourceInstances:", "author", {1, 2}"#, "collection"),
        ])
    func arguments(format: String, part: String) throws {
        let library = try LibraryStore(.sqlite)
        let model = try mapping(library)
        try attribute("name", model).valueExpression = NSExpression(format: "FUNCTION($manager, \(format))")
        let error = try failure(library, model)
        #expect(error.code == NSEntityMigrationPolicyError)
        #expect(error.localizedDescription.contains(part))
    }

    /// Proves: G41
    @Test(
        "a value that the property cannot hold is an error with entity, property and reason",
        arguments: [("name", "$source.author"), ("author", "$source.title"), ("author", "$source.author")])
    func values(name: String, format: String) throws {
        let library = try LibraryStore(.sqlite)
        let model = try mapping(library)
        let property = try name == "author" ? relationship(name, model) : attribute(name, model)
        property.valueExpression = NSExpression(format: format)
        let error = try failure(library, model)
        #expect(codes(error).allSatisfy { $0 == NSMigrationError })
        #expect(error.localizedDescription.contains("Volume.\(name)"))
    }

    /// Proves: G41, G47
    @Test("mappings without a name, of unknown entities and of unknown relationships are errors with their names")
    func names() throws {
        let library = try LibraryStore(.sqlite)
        var model = try mapping(library)
        try volume(model).name = ""
        var error = try failure(library, model)
        #expect(error.code == NSMigrationMissingMappingModelError && error.localizedDescription.contains("Book"))
        model = try mapping(library)
        try volume(model).destinationEntityName = "Nowhere"
        error = try failure(library, model)
        #expect(error.code == NSMigrationMissingMappingModelError && error.localizedDescription.contains("Nowhere"))
        model = try mapping(library)
        try relationship("author", model).name = "whisper"
        error = try failure(library, model)
        #expect(error.code == NSMigrationError && error.localizedDescription.contains("whisper"))
    }

    /// Proves: G41
    @Test("a mapping to an entity that is abstract is an error with its name", arguments: StoreKind.files)
    func abstract(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let model = try mapping(library)
        let abstract = LibraryModels.second { $0.isAbstract = true }
        for mapping in model.entityMappings { mapping.destinationEntityVersionHash = nil }
        let error = try failure(library, model, to: abstract)
        #expect(error.code == NSMigrationError)
        #expect(error.localizedDescription.contains("IEM_Transform_Volume"))
    }

    /// Proves: G42
    @Test("objects with the same unique values end the migration with 134111", arguments: StoreKind.files)
    func duplicates(kind: StoreKind) throws {
        let library = try LibraryStore(kind) { context in
            for _ in 0..<2 {
                NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    .setValue("Emma", forKey: "title")
            }
        }
        let unique = LibraryModels.second { $0.uniquenessConstraints = [["name"]] }
        let error = try failure(library, try mapping(library, to: unique), to: unique)
        #expect(error.code == NSMigrationError)
        #expect(codes(error).contains(NSMigrationConstraintViolationError))
        #expect(codes(error).contains(NSManagedObjectConstraintMergeError))
        #expect(error.userInfo["reason"] as? String == "constraint violation during attempted migration")
    }

    /// Proves: G39, G87
    @Test("partners that were associated in any order are found after thousands of others have been saved")
    func outOfOrder() throws {
        let library = try LibraryStore(.sqlite) { context in
            for number in 0..<5_000 {
                NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    .setValue(number, forKey: "pages")
                // Keys are given in the order of saving.
                if number % 1000 == 0 { try context.save() }
            }
        }
        let model = try mapping(library)
        try volume(model).entityMigrationPolicyClassName = String(reflecting: OutOfOrderPolicy.self)
        let (manager, log) = (NSMigrationManager(sourceModel: library.old, destinationModel: new), CallLog())
        manager.userInfo = ["log": log]
        try library.migrate(manager, model, to: .sqlite)
        let volumes = try #require(log.calls.first?.split(separator: " ").dropFirst().compactMap { Int($0) })
        #expect(volumes.count == 6)
        let first = try #require(volumes.first)
        let partners = volumes.dropFirst().map { "books \(["\(first)", "\($0)"].sorted())" }
        #expect(Array(log.calls.dropFirst()) == partners)
        let stack = try OpenStack(.sqlite, new, library.place())
        #expect(try stack.count("Volume") == 5_000)
        try stack.close()
    }

    /// Proves: G47
    @Test("stores in memory and URLs of no file are unusable ends")
    func unusableEnds() throws {
        let library = try LibraryStore(.sqlite)
        let model = try mapping(library)
        let files = library.files
        func failure(_ source: String, _ place: URL, _ destination: String) -> NSError? {
            thrown {
                try NSMigrationManager(sourceModel: library.old, destinationModel: new).migrateStore(
                    from: library.url, sourceType: source, with: model, toDestinationURL: place,
                    destinationType: destination)
            }
        }
        let memory = failure(NSSQLiteStoreType, library.place(), NSInMemoryStoreType)
        #expect(memory?.code == NSMigrationManagerDestinationStoreError)
        let web = try #require(URL(string: "https://example.com/New.store"))
        #expect(failure(NSSQLiteStoreType, web, NSSQLiteStoreType)?.code == NSMigrationManagerDestinationStoreError)
        let source = failure(NSInMemoryStoreType, library.place(), NSSQLiteStoreType)
        #expect(source?.code == NSMigrationManagerSourceStoreError)
        #expect(library.files == files)
    }

    /// Proves: G47
    @Test("a model that the destination's kind cannot keep is an error, and nothing is left")
    func unfitDestination() throws {
        let library = try LibraryStore(.sqlite)
        let twins = LibraryModels.second()
        let twin = NSEntityDescription("TAG")
        twin.attribute("text", .stringAttributeType)
        twins.entities += [twin]
        let model = try mapping(library, to: twins)
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: twins)
        let files = library.files
        let error = try #require(thrown { try library.migrate(manager, model, to: .xml) })
        #expect(error.code == NSMigrationManagerDestinationStoreError)
        #expect("\(error) \(error.userInfo)".contains("case"))
        #expect(library.files == files)
    }
}
