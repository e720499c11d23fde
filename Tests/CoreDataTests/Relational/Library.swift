// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A small model and a store of its own for tests of the relational stores.

import CoreDataFoundation
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// Authors with ordered books, readers who borrow many books, a novel as a kind of book, friends among readers.
final class Library {
    let model: NSManagedObjectModel
    let layout: ModelLayout
    let folder: URL
    var url: URL { folder.appendingPathComponent("library.sqlite") }
    private(set) var store: SQLiteStore

    init(options: [AnyHashable: Any]? = nil) throws {
        model = Self.makeModel()
        layout = ModelLayout(entities: model.entities)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = SQLiteStore(
            persistentStoreCoordinator: nil, configurationName: nil,
            at: folder.appendingPathComponent("library.sqlite"),
            options: options)
        try store.open(model: layout, entities: model.entities)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func reopen(options: [AnyHashable: Any]? = nil) throws {
        try store.close()
        store = SQLiteStore(persistentStoreCoordinator: nil, configurationName: nil, at: url, options: options)
        try store.open(model: layout, entities: model.entities)
    }

    func entity(_ name: String) -> EntityLayout { layout.layout(named: name)! }  // names stand in this file

    /// A row to be inserted, its values by name; references by the name of a to-one.
    func insert(_ entity: String, _ key: Int64, _ values: [String: Any?], links: [ChangeSet.Links] = [])
        -> ChangeSet.Insert
    {
        ChangeSet.Insert(key: key, snapshot: snapshot(entity, values), links: links)
    }

    func snapshot(_ entity: String, _ values: [String: Any?], version: Int64 = 0) -> Snapshot {
        let layout = self.entity(entity)
        let result = Snapshot.make(layout, version: version)
        for (name, value) in values {
            let slot = layout.slot(name)!  // names stand in the tests
            if let reference = value as? Reference {
                result.setReference(reference, slot)
            } else {
                result.setValue(value, slot)
            }
        }
        return result
    }

    func reference(_ entity: String, _ key: Int64) -> Reference {
        Reference(entityIndex: self.entity(entity).index, key: key)
    }

    func links(
        _ entity: String, _ name: String, added: [Reference] = [], removed: [Reference] = [], order: [Reference]? = nil
    )
        -> ChangeSet.Links
    {
        ChangeSet.Links(slot: self.entity(entity).slot(name)!, added: added, removed: removed, order: order)
    }

    func resolved(_ entity: String, _ predicate: String? = nil, _ arguments: [Any?] = []) throws -> BoundFetch {
        BoundFetch(
            PreparedFetch(model: layout, layout: self.entity(entity)),
            matching: try predicate.map { try PredicateSyntax.parsing($0, arguments: arguments) })
    }

    func keys(_ entity: String, _ predicate: String? = nil, _ arguments: [Any?] = []) throws -> [Int64] {
        var fetch = try resolved(entity, predicate, arguments)
        fetch.result = .keys
        guard case .keys(let keys) = try store.fetch(fetch, in: nil) else { return [] }
        return keys.map(\.key).sorted()
    }

    func sql(_ entity: String, _ predicate: String, _ arguments: [Any?] = []) throws -> SQLText {
        let builder = try SelectBuilder(
            schema: try store.opened().schema, fetch: try resolved(entity, predicate, arguments))
        #expect(builder.remainder.isEmpty)
        return builder.keys()
    }

    func row(_ entity: String, _ key: Int64) throws -> FetchedRow? {
        try store.rows([key], root: self.entity(entity), in: nil).first
    }

    // MARK: The model

    private static func makeModel() -> NSManagedObjectModel {
        let names = ["Author", "Book", "Novel", "Reader"]
        let entities = names.map { name in
            let entity = NSEntityDescription()
            entity.name = name
            return entity
        }
        let (author, book, novel, reader) = (entities[0], entities[1], entities[2], entities[3])
        book.subentities = [novel]
        author.properties = [attribute("name", .stringAttributeType), attribute("born", .dateAttributeType)]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
            attribute("price", .decimalAttributeType), attribute("isbn", .UUIDAttributeType),
            attribute("isLent", .booleanAttributeType), attribute("rating", .doubleAttributeType),
            external("cover"), attribute("extra", .transformableAttributeType), attribute("home", .URIAttributeType),
        ]
        novel.properties = [attribute("genre", .stringAttributeType)]
        reader.properties = [attribute("name", .stringAttributeType)]
        relate(author, "books", many: true, ordered: true, book, "author", many: false)
        relate(reader, "borrowed", many: true, book, "readers", many: true)
        relate(reader, "favourite", many: false, book, "lovers", many: true)
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = reader
        friends.inverseRelationship = friends
        let wishes = NSRelationshipDescription()
        wishes.name = "wishes"
        wishes.destinationEntity = author
        reader.properties += [friends, wishes]
        book.uniquenessConstraints = [["isbn"]]
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    private static func external(_ name: String) -> NSAttributeDescription {
        let attribute = attribute(name, .binaryDataAttributeType)
        attribute.allowsExternalBinaryDataStorage = true
        return attribute
    }

    private static func relate(
        _ one: NSEntityDescription, _ name: String, many: Bool, ordered: Bool = false, _ other: NSEntityDescription,
        _ inverse: String, many inverseIsMany: Bool
    ) {
        let (first, second) = (NSRelationshipDescription(), NSRelationshipDescription())
        first.name = name
        first.destinationEntity = other
        first.maxCount = many ? 0 : 1
        first.isOrdered = ordered
        second.name = inverse
        second.destinationEntity = one
        second.maxCount = inverseIsMany ? 0 : 1
        first.inverseRelationship = second
        second.inverseRelationship = first
        one.properties += [first]
        other.properties += [second]
    }
}
