// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values in a migration by objects: numbers of new types, to-manys that become to-ones, defaults.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Values in migrations by objects") struct MappedValueSpecification {
    private func migrated(
        _ kind: StoreKind, _ values: [String: Any], _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
    ) throws -> [String: Any] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Reading-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (source, place) = (folder.appending(path: "a.store"), folder.appending(path: "b.store"))
        let stack = try OpenStack(kind, old, source)
        NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context).setValuesForKeys(values)
        try stack.context.save()
        try stack.close()
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: source, sourceType: kind.type, with: mapping, toDestinationURL: place, destinationType: kind.type)
        let result = try OpenStack(kind, new, place)
        defer { try? result.close() }
        let reading = try #require(try result.objects("Reading", sortedBy: "value").first)
        return reading.dictionaryWithValues(forKeys: Array(reading.entity.attributesByName.keys))
    }

    /// Proves: G23, G35
    @Test("numbers keep their value in a new type", arguments: StoreKind.files)
    func numbers(kind: StoreKind) throws {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType,
        ]
        // One attribute for each pair of types.
        let pairs = types.flatMap { old in
            types.map { (name: "from\(old.rawValue)to\($0.rawValue)", old: old, new: $0) }
        }
        let (old, new) = (ReadingModel.make(.stringAttributeType), ReadingModel.make(.stringAttributeType))
        for pair in pairs {
            old.entities[0].attribute(pair.name, pair.old)
            new.entities[0].attribute(pair.name, pair.new)
        }
        let values = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, NSDecimalNumber(value: 1234)) })
        let found = try migrated(kind, values, old, new)
        for pair in pairs { #expect((found[pair.name] as? NSNumber)?.intValue == 1234, "\(pair.name)") }
    }

    /// Decided by an inferred migration of 40,000 to Integer 16, 1.5 to Integer 64 and 1e300 to Float: the error, or
    /// the new value.
    /// Proves: G23, G35
    @Test(
        "a number that does not fit fails the migration, with its entity and attribute", .tags(.assumed),
        arguments: StoreKind.files)
    func misfits(kind: StoreKind) throws {
        for (value, old, new) in [
            (40_000 as NSNumber, NSAttributeType.integer32AttributeType, NSAttributeType.integer16AttributeType),
            (1.5, .doubleAttributeType, .integer64AttributeType), (1e300, .doubleAttributeType, .floatAttributeType),
            (NSDecimalNumber(string: "1.5"), .decimalAttributeType, .integer64AttributeType),
        ] {
            let error = try #require(
                thrown { _ = try migrated(kind, ["value": value], ReadingModel.make(old), ReadingModel.make(new)) })
            #expect(error.code == NSMigrationError)
            let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(cause.code == NSMigrationError && cause.userInfo["entity"] as? String == "Reading")
            #expect(cause.userInfo["attribute"] as? String == "value")
        }
    }

    /// Proves: G21, G35
    @Test(
        "a row without a value gets the default of an attribute that became mandatory", arguments: StoreKind.files)
    func defaults(kind: StoreKind) throws {
        let value = try migrated(
            kind, [:], ReadingModel.make(.integer32AttributeType),
            ReadingModel.make(.integer32AttributeType, default: 7))
        #expect(value["value"] as? Int == 7)
    }

    /// Decided by `NSMigrationManager` with an inferred mapping from a to-many to a to-one: the member that stays.
    /// Proves: G25, G26, G35
    @Test(
        "a to-many that becomes a to-one keeps the member with the lowest key", .tags(.assumed),
        arguments: StoreKind.files)
    func cardinality(kind: StoreKind) throws {
        let library = try LibraryStore(kind)
        let author = NSEntityDescription("Author")
        author.attribute("name", .stringAttributeType)
        let book = NSEntityDescription("Book")
        book.attribute("title", .stringAttributeType)
        author.relate("books", .one, to: book, inverse: "author", .one)
        let new = NSManagedObjectModel(author, book)
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: library.old, destinationModel: new)
        try library.migrate(NSMigrationManager(sourceModel: library.old, destinationModel: new), mapping, to: kind)
        let old = try OpenStack(kind, library.old, library.url)
        let jane = try #require(
            try old.objects("Author", sortedBy: "name").first { $0.value(forKey: "name") as? String == "Jane" })
        let books = try #require(jane.value(forKey: "books") as? Set<NSManagedObject>)
        let first = books.min {
            $0.objectID.uriRepresentation().absoluteString.localizedStandardCompare(
                $1.objectID.uriRepresentation().absoluteString) == .orderedAscending
        }
        let title = try #require(first?.value(forKey: "title") as? String)
        try old.close()
        let stack = try OpenStack(kind, new, library.place())
        let owner = try #require(
            try stack.objects("Author", sortedBy: "name").first { $0.value(forKey: "name") as? String == "Jane" })
        let kept = try #require(owner.value(forKey: "books") as? NSManagedObject)
        #expect(kept.value(forKey: "title") as? String == title)
        #expect(kept.value(forKey: "author") as? NSManagedObject === owner)
        #expect(try stack.count("Book") == 3)
        try stack.close()
    }
}
