// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A small model and a store for tests of the relational stores.

import CoreDataFoundation
import CoreDataTestSupport
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

    func entity(_ name: String) -> EntityLayout { layout.layout(named: name)! }  // names are in this file

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
            let slot = layout.slot(name)!  // names are in the tests
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
        let (author, book) = (NSEntityDescription("Author"), NSEntityDescription("Book"))
        let (novel, reader) = (NSEntityDescription("Novel"), NSEntityDescription("Reader"))
        author.attribute("name", .stringAttributeType)
        author.attribute("born", .dateAttributeType)
        book.attribute("title", .stringAttributeType)
        book.attribute("pages", .integer32AttributeType)
        book.attribute("price", .decimalAttributeType)
        book.attribute("isbn", .UUIDAttributeType)
        book.attribute("isLent", .booleanAttributeType)
        book.attribute("rating", .doubleAttributeType)
        book.attribute("cover", .binaryDataAttributeType).allowsExternalBinaryDataStorage = true
        book.attribute("extra", .transformableAttributeType)
        book.attribute("home", .URIAttributeType)
        book.uniquenessConstraints = [["isbn"]]
        book.subentities = [novel]
        novel.attribute("genre", .stringAttributeType)
        reader.attribute("name", .stringAttributeType)
        author.relate("books", .ordered, to: book, inverse: "author", .one)
        reader.relate("borrowed", .many, to: book, inverse: "readers", .many)
        reader.relate("favourite", .one, to: book, inverse: "lovers", .many)
        reader.relate("friends", .many, to: reader, inverse: "friends", .many)
        reader.relationship("wishes", .many, to: author)
        return NSManagedObjectModel(author, book, novel, reader)
    }
}
