// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the answers of a SQLite library that was built without R-trees and without full-text search.

import CSQLite
import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

/// A folder in which SQLite has neither module.
///
/// SQLite calls an extension for each connection that it opens, after its own modules are there. It drops them if the
/// file is in such a folder, so other tests of this process keep theirs.
private final class PlaceWithoutModules {
    private static let mark = "WithoutModules-"

    private typealias Extension =
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> Int32

    private static let isInstalled: Bool = {
        let drop: Extension = { database, _, _ in PlaceWithoutModules.dropModules(of: database) }
        return sqlite3_auto_extension(unsafeBitCast(drop, to: (@convention(c) () -> Void).self)) == SQLITE_OK
    }()

    private static func dropModules(of database: OpaquePointer?) -> Int32 {
        guard let path = sqlite3_db_filename(database, "main"), String(cString: path).contains(mark) else {
            return SQLITE_OK
        }
        return "json_each".withCString { name in
            var kept: [UnsafePointer<CChar>?] = [name, nil]
            return sqlite3_drop_modules(database, &kept)
        }
    }

    let folder: URL
    var store: URL { folder.appending(path: "Store.sqlite") }

    init() throws {
        guard Self.isInstalled else { throw CocoaError(.featureUnsupported) }
        folder = FileManager.default.temporaryDirectory.appending(path: "\(Self.mark)\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// Proves: Geography-8, SearchIndexes-4
@Suite("A SQLite library without modules") struct MissingModuleTests {
    private func model(hasTree: Bool) -> NSManagedObjectModel {
        let place = NSEntityDescription("Place")
        place.attribute("latitude", .doubleAttributeType)
        place.attribute("longitude", .doubleAttributeType)
        if hasTree {
            place.indexes = [
                NSFetchIndexDescription(
                    name: "byPlace",
                    elements: place.properties.map {
                        NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                    })
            ]
        }
        let note = NSEntityDescription("Note")
        note.attribute("text", .stringAttributeType).isIndexedBySpotlight = true
        return NSManagedObjectModel(place, note)
    }

    private func open(
        _ url: URL, hasTree: Bool, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(hasTree: hasTree))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// A store that a library with the modules has made.
    private func copied(to place: PlaceWithoutModules, hasTree: Bool) throws {
        let stack = try Stack(
            .sqlite, model(hasTree: hasTree), options: hasTree ? nil : [NSFullTextIndexOption: true])
        for number in 0..<40 {
            let object = stack.insert("Place")
            object.setValue(Double(number % 8), forKey: "latitude")
            object.setValue(Double(number / 8), forKey: "longitude")
            stack.insert("Note").setValue(number % 2 == 0 ? "open source" : "closed", forKey: "text")
        }
        try stack.context.save()
        try stack.store.backup(to: place.store)
    }

    /// nil if the body succeeds.
    private func failure(_ body: () throws -> Void) -> NSError? {
        do {
            try body()
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test("a store with an R-tree cannot be made: the error names the index, and no file is left") func creation()
        throws
    {
        let place = try PlaceWithoutModules()
        let error = try #require(failure { _ = try open(place.store, hasTree: true) })
        #expect(error.code == NSPersistentStoreOpenError)
        #expect(error.localizedDescription.contains("The fetch index 'byPlace' of Place is an R-tree"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == [])
    }

    @Test("fetches of a store with an R-tree compare the rows; a save says why it fails, and keeps nothing")
    func existing() throws {
        let place = try PlaceWithoutModules()
        try copied(to: place, hasTree: true)
        let context = try open(place.store, hasTree: true)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
        request.predicate = .within(GeographicBox(south: 2, west: 3, north: 4, east: 5))
        #expect(try context.count(for: request) == 6)
        #expect(try request.explain(in: context).isAnsweredBySQL)
        let all = NSFetchRequest<NSManagedObject>(entityName: "Place")
        all.fetchLimit = 1
        let near = try context.nearest(
            to: GeographicCoordinate(latitude: 3, longitude: 2), in: all)
        #expect(near.map(\.distance) == [0])
        _ = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
        let error = try #require(failure { try context.save() })
        #expect(error.localizedDescription.contains("without a part that an index of the store needs"))
        #expect(error.localizedDescription.contains("no such module: RTREE"))
        context.reset()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Place")) == 40)
    }

    @Test("searches of a store with a full-text index compare the rows; the option to make one is refused")
    func fullText() throws {
        let place = try PlaceWithoutModules()
        try copied(to: place, hasTree: false)
        let context = try open(place.store, hasTree: false)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "SELF MATCHING 'open'")
        #expect(try context.count(for: request) == 20)
        let best = NSFetchRequest<NSManagedObject>(entityName: "Note")
        best.fetchLimit = 3
        #expect(try context.search(SearchQuery("open"), in: best).count == 3)
        _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        let error = try #require(failure { try context.save() })
        #expect(error.localizedDescription.contains("no such module: fts5"))
        let other = try PlaceWithoutModules()
        let refused = try #require(
            failure { _ = try open(other.store, hasTree: false, options: [NSFullTextIndexOption: true]) })
        #expect(refused.localizedDescription.contains("no full-text search"))
    }
}
