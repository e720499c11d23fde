// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests when a migration by objects makes the indexes of its new database.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Migration-M57.
@Suite("Indexes of a migration by objects") final class LateIndexTests {
    private static func model(_ change: (NSEntityDescription) -> Void = { _ in }) -> NSManagedObjectModel {
        version { model in
            let item = model.entity("Item") { $0.attribute("name", .stringAttributeType) }
            let owner = model.entity("Owner") { $0.attribute("name", .stringAttributeType) }
            owner.relate("items", .many, to: item, inverse: "owner", .one)
            item.indexes = [
                NSFetchIndexDescription(
                    name: "byName",
                    elements: [
                        NSFetchIndexElementDescription(
                            property: item.attributesByName["name"] ?? NSPropertyDescription(), collationType: .binary)
                    ])
            ]
            owner.uniquenessConstraints = [["name"]]
            change(owner)
        }
    }

    private static func indexes(_ url: URL) throws -> [String] {
        let connection = try Connection(url: url)
        defer { try? connection.close() }
        var found: [String] = []
        try connection.withStatement("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") {
            while try $0.step() { found.append($0.string(at: 0) ?? "") }
        }
        return found.sorted()
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "Migration-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func end(_ model: NSManagedObjectModel) throws -> (end: MigrationEndpoint, url: URL) {
        let url = folder.appending(path: "new.sqlite")
        let place = StoreLocation(url: url, type: NSSQLiteStoreType, options: nil)
        return (try MigrationEndpoint(model, place, readOnly: false), url)
    }

    @Test("a question that is not by key finds all indexes", arguments: ["fetch", "count", "members"])
    func questions(question: String) throws {
        let (end, url) = try end(Self.model())
        let all = try Self.indexes(url)
        try end.putOffIndexes()
        let unique = try Self.indexes(url)
        #expect(all.count == 3)
        #expect(unique.count == 1 && unique[0].contains("UNIQUE"))
        let owner = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: end.context)
        owner.setValue("O", forKey: "name")
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: end.context)
        item.setValue(owner, forKey: "owner")
        try end.context.save()
        end.context.refreshAllObjects()
        // By key: the row of a fault.
        #expect(owner.value(forKey: "name") as? String == "O")
        #expect(try Self.indexes(url) == unique)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        switch question {
        case "fetch": #expect(try end.context.fetch(request) == [item])
        case "count": #expect(try end.context.count(for: request) == 1)
        default: #expect(owner.value(forKey: "items") as? Set<NSManagedObject> == [item])
        }
        #expect(try Self.indexes(url) == all)
        try end.close()
    }

    @Test("without a question they are made at the end; a cancellation ends that too") func ends() throws {
        let (end, url) = try end(Self.model())
        let all = try Self.indexes(url)
        try end.putOffIndexes()
        #expect(throws: CocoaError.self) { try end.makeIndexes { throw CocoaError(.userCancelled) } }
        #expect(try Self.indexes(url).count == 1)
        try end.makeIndexes {}
        #expect(try Self.indexes(url) == all)
        try end.close()
    }

    @Test("with a derived attribute, which each save recomputes, they stay") func derived() throws {
        let (end, url) = try end(
            Self.model { owner in
                let count = NSDerivedAttributeDescription()
                count.name = "count"
                count.attributeType = .integer64AttributeType
                count.derivationExpression = NSExpression(format: "items.@count")
                owner.properties.append(count)
            })
        let all = try Self.indexes(url)
        try end.putOffIndexes()
        #expect(try Self.indexes(url) == all)
        try end.close()
    }
}
