// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names that are words of SQL stay names, and values that look like SQL stay values: in tables, constraints, indexes,
// predicates and histories. The model refuses other characters than letters, digits and underscores in names.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

@Suite("Hostile names and values in a PostgreSQL store", .needsServer) struct HostileNameTests {
    private static let names = [
        "SELECT", "select", "größe", "userName", "user_name", "id", "version", "kind", "xmin", "ctid", "user", "order",
        "table", "null", "from", String(repeating: "x", count: 70), String(repeating: "x", count: 71),
    ]
    private static let (root, sub) = ("Union", "User")

    /// A text that ends each kind of quotes, and begins a statement.
    private static func value(_ name: String, _ number: Int) -> String {
        "'\"$$\\'; DROP TABLE canary; -- $1 ? \(name) \(number)" + String(repeating: "'", count: 100_000)
    }

    private static func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let (entity, subentity) = (NSEntityDescription(), NSEntityDescription())
        (entity.name, subentity.name) = (root, sub)
        entity.properties = (names + ["number", "where"]).map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        entity.uniquenessConstraints = [["number"]]
        subentity.uniquenessConstraints = [["where"]]
        // A long value would not fit into a page of an index.
        let indexed = NSFetchIndexElementDescription(property: entity.properties[names.count], collationType: .binary)
        entity.indexes = [NSFetchIndexDescription(name: "byIndex", elements: [indexed])]
        entity.subentities = [subentity]
        model.entities = [entity, subentity]
        return model
    }

    @Test("entities and attributes with such names are saved, found, sorted, recorded and kept unique") func names()
        throws
    {
        let stack = try Stack(.postgresql, Self.model(), options: [NSPersistentHistoryTrackingKey: true])
        for (number, entity) in [Self.root, Self.sub].enumerated() {
            let object = stack.insert(entity)
            for name in ["number", "where"] { object.setValue("\(name) \(number)", forKey: name) }
            for name in Self.names { object.setValue(Self.value(name, number), forKey: name) }
        }
        try stack.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: Self.root)
        for name in Self.names {
            request.predicate = NSPredicate(format: "%K == %@", name, Self.value(name, 1))
            request.sortDescriptors = [NSSortDescriptor(key: name, ascending: false)]
            let reader = stack.newContext()
            let found = try reader.fetch(request)
            #expect(found.map { $0.entity.name } == [Self.sub])
            let isSame = found.first?.value(forKey: name) as? String == Self.value(name, 1)
            withExtendedLifetime(reader) {}
            #expect(isSame, "\(name)")
        }
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try #require(try stack.context.execute(history) as? NSPersistentHistoryResult)
        let changes = (result.result as? [NSPersistentHistoryTransaction])?.first?.changes
        #expect(changes?.map { $0.changedObjectID.entity.name } == [Self.root, Self.sub])
        for (entity, name, number) in [(Self.root, "number", 0), (Self.sub, "where", 1)] {
            let twin = stack.insert(entity)
            twin.setValue("\(name) \(number)", forKey: name)
            let error = #expect(throws: CocoaError.self) { try stack.context.save() }
            #expect(error?.code == .managedObjectConstraintMerge)
            stack.context.delete(twin)
        }
    }
}
