// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Policies and expressions: their order, their associations, and their variables.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Migration policies") struct MigrationPolicySpecification {
    private let new = LibraryModels.second()

    private func mapping(
        _ library: LibraryStore, _ policy: NSEntityMigrationPolicy.Type?, for names: [String] = ["Author", "Volume"]
    ) throws -> NSMappingModel {
        let model = try NSMappingModel.inferredMappingModel(forSourceModel: library.old, destinationModel: new)
        for mapping in model.entityMappings where names.contains(mapping.destinationEntityName ?? "") {
            mapping.entityMigrationPolicyClassName = policy.map { String(reflecting: $0) }
        }
        return model
    }

    private func manager(_ library: LibraryStore) -> NSMigrationManager {
        NSMigrationManager(sourceModel: library.old, destinationModel: new)
    }

    /// Proves: G38
    @Test("instances of all mappings come first, then relationships, validation and the end", arguments: KindPair.all)
    func order(pair: KindPair) throws {
        let library = try LibraryStore(pair.from)
        let model = try mapping(library, LoggingPolicy.self, for: ["Author", "Volume", "Shelf"])
        let order = ["Volume", "Shelf", "Author", "Tag"]
        model.entityMappings = order.compactMap { name in
            model.entityMappings.first { $0.destinationEntityName == name }
        }
        let (manager, log) = (manager(library), CallLog())
        manager.userInfo = ["log": log]
        try library.migrate(manager, model, to: pair.to)
        let create = Array(repeating: "create", count: 3)
        let relate = Array(repeating: "relate", count: 3)
        let expected =
            (["begin"] + create + ["created"]).map { "\($0) Volume" } + ["begin Shelf", "created Shelf"]
            + (["begin"] + create + ["created"]).map { "\($0) Author" }
            + (relate + ["related"]).map { "\($0) Volume" } + ["related Shelf"]
            + (relate + ["related"]).map { "\($0) Author" }
            + ["validate Volume", "validate Shelf", "validate Author", "end Volume", "end Shelf", "end Author"]
        #expect(log.calls == expected)
    }

    /// Proves: G39, G41
    @Test("an object may have several partners, and relationships find all of them", arguments: StoreKind.files)
    func partners(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        try library.migrate(manager(library), mapping(library, SplittingPolicy.self, for: ["Volume"]), to: kind)
        let stack = try OpenStack(kind, new, library.place())
        let volumes = try stack.objects("Volume", sortedBy: "name")
        #expect(
            volumes.map { $0.value(forKey: "name") as? String } == [
                "Dune I", "Dune II", "Emma I", "Emma II", "Persuasion I", "Persuasion II",
            ])
        let authors = try stack.objects("Author", sortedBy: "name")
        #expect(authors.map { ($0.value(forKey: "books") as? NSOrderedSet)?.count } == [2, 4, 0])
        let tags = try stack.objects("Tag", sortedBy: "text")
        #expect(tags.map { ($0.value(forKey: "books") as? Set<NSManagedObject>)?.count } == [6, 2])
        try stack.close()
    }

    /// Proves: G40
    @Test("expressions see their variables, and call functions of manager and policy", arguments: StoreKind.files)
    func variables(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let model = try mapping(library, ShoutingPolicy.self, for: ["Volume"])
        let volume = try #require(model.entityMappingsByName["IEM_Transform_Volume"])
        let expressions = [
            "name": #"FUNCTION($entityPolicy, "shout:", $source.title)"#,
            "pages": "$source.pages + 1",
            "rating":
                #"TERNARY($entityMapping.name == "IEM_Transform_Volume" AND $propertyMapping.name == "rating" AND $destination.pages != nil, 5, 1)"#,
        ]
        for property in volume.attributeMappings ?? [] {
            property.valueExpression = property.name.flatMap { expressions[$0] }.map { NSExpression(format: $0) }
        }
        let author = try #require(volume.relationshipMappings?.first { $0.name == "author" })
        author.valueExpression = NSExpression(
            format:
                #"FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "IEM_Transform_Author", $source.author)"#
        )
        try library.migrate(manager(library), model, to: kind)
        let stack = try OpenStack(kind, new, library.place())
        let volumes = try stack.objects("Volume", sortedBy: "name")
        #expect(volumes.map { $0.value(forKey: "name") as? String } == ["DUNE", "EMMA", "PERSUASION"])
        #expect(volumes.map { $0.value(forKey: "pages") as? Int } == [613, 475, 250])
        #expect(volumes.map { $0.value(forKey: "rating") as? Int } == [5, 5, 5])
        #expect(
            volumes.map { ($0.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String } == [
                "Frank", "Jane", "Jane",
            ])
        try stack.close()
    }

    private func failure(_ library: LibraryStore, _ model: NSMappingModel, _ manager: NSMigrationManager? = nil)
        throws -> NSError
    {
        let files = library.files
        let error = thrown { try library.migrate(manager ?? self.manager(library), model, to: library.kind) }
        #expect(library.files == files)
        return try #require(error)
    }

    /// Proves: G40, G41, G81
    @Test(
        "unknown functions, keys, properties and policy classes are errors with their names",
        arguments: StoreKind.files)
    func unknownNames(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        for (format, code) in [
            (#"FUNCTION($entityPolicy, "whisper:", 1)"#, NSEntityMigrationPolicyError),
            (#"FUNCTION($manager, "whisper:", 1)"#, NSEntityMigrationPolicyError),
            ("$source.whisper", NSMigrationError), (#"FUNCTION($source, "valueForKey:", "whisper")"#, NSMigrationError),
            ("$whisper", NSMigrationError),
        ] {
            let model = try mapping(library, ShoutingPolicy.self, for: ["Volume"])
            let volume = try #require(model.entityMappingsByName["IEM_Transform_Volume"])
            volume.attributeMappings?[0].valueExpression = NSExpression(format: format)
            let error = try failure(library, model)
            #expect(error.code == code && "\(error) \(error.userInfo)".contains("whisper"), "\(format)")
        }
        let missing = try mapping(library, nil)
        missing.entityMappings[0].entityMigrationPolicyClassName = "Nowhere.WhisperPolicy"
        let error = try failure(library, missing)
        #expect(error.code == NSEntityMigrationPolicyError && error.localizedDescription.contains("WhisperPolicy"))
        let wrong = try mapping(library, nil)
        wrong.entityMappings.first { $0.destinationEntityName == "Tag" }?.attributeMappings?[0].name = "whisper"
        #expect(try failure(library, wrong).localizedDescription.contains("whisper"))
    }

    /// Proves: G41
    @Test("the error of a policy is in the chain, and nothing is left", arguments: StoreKind.files)
    func failingPolicy(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let error = try failure(library, mapping(library, FailingPolicy.self))
        #expect(error.code == NSMigrationError)
        #expect(error.userInfo["sourceURL"] as? URL == library.url)
        #expect(error.userInfo["destinationURL"] as? URL == library.place())
        #expect(error.userInfo[NSUnderlyingErrorKey] is PolicyFailure || codes(error).count == 2)
    }

    /// Proves: G45
    @Test("a cancelled migration throws the very error, and the manager goes on", arguments: StoreKind.files)
    func cancelling(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let manager = manager(library)
        let wish = NSError(domain: "Test", code: 7)
        manager.userInfo = ["cancel": wish]
        #expect(try failure(library, mapping(library, FailingPolicy.self), manager) === wish)
        manager.cancelMigrationWithError(wish)
        try library.migrate(manager, mapping(library, nil), to: kind)
        let stack = try OpenStack(kind, new, library.place())
        #expect(try stack.count("Volume") == 3)
        try stack.close()
    }

    /// Proves: G42
    @Test("the rules of the model hold at the end, not before", arguments: StoreKind.files)
    func validation(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let strict = LibraryModels.second { volume in
            volume.relationshipsByName["author"]?.isOptional = false
            volume.attributesByName["name"]?.isOptional = false
        }
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: strict)
        let model = try NSMappingModel.inferredMappingModel(forSourceModel: library.old, destinationModel: strict)
        try library.migrate(manager, model, to: kind)
        let volume = try #require(model.entityMappingsByName["IEM_Transform_Volume"])
        volume.attributeMappings?.first { $0.name == "name" }?.valueExpression = nil
        let place = library.place("Other.store")
        let error = try #require(thrown { try library.migrate(manager, model, to: kind, at: place) })
        #expect(error.code == NSMigrationError)
        #expect(codes(error).contains(NSValidationMissingMandatoryPropertyError))
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    /// Proves: G47
    @Test("unusable stores and mapping models have distinct errors", arguments: StoreKind.files)
    func unusable(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let model = try mapping(library, nil)
        let backwards = NSMigrationManager(sourceModel: new, destinationModel: library.old)
        #expect(try failure(library, model, backwards).code == NSMigrationMissingMappingModelError)
        let back = try NSMappingModel.inferredMappingModel(forSourceModel: new, destinationModel: library.old)
        let wrongSource = try failure(library, back, backwards)
        #expect(wrongSource.code == NSMigrationManagerSourceStoreError)
        #expect(codes(wrongSource).contains(NSPersistentStoreIncompatibleVersionHashError))
        let nowhere = library.folder.appending(path: "None/New.store")
        let error = try #require(thrown { try library.migrate(manager(library), model, to: kind, at: nowhere) })
        #expect(error.code == NSMigrationManagerDestinationStoreError)
        let same = try #require(thrown { try library.migrate(manager(library), model, to: kind, at: library.url) })
        #expect(same.code == NSMigrationManagerDestinationStoreError)
        try FileManager.default.removeItem(at: library.url)
        #expect(try failure(library, model).code == NSMigrationManagerSourceStoreError)
    }
}
