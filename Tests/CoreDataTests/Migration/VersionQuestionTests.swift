// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the question for the version of a store, which comes before its opening.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("The question for the version of a store") struct VersionQuestionTests {
    static let kinds: [StoreKind] = [.sqlite, .xml, .binary]

    private func people(_ count: Int) -> NSManagedObjectModel {
        version { model in
            model.entity("Person") { person in
                for number in 1...count { person.attribute("a\(number)", .stringAttributeType) }
            }
        }
    }

    /// The answer of a store that is made and not opened.
    private func answer(
        _ store: MigratingStore, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any]? {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let storeClass: NSPersistentStore.Type = try StoreRegistry.storeClass(store.kind.type)
        let made = try #require(storeClass.create(coordinator, nil, store.url, options) as? any VersionedStore)
        return try made.metadataOfOtherVersion(than: coordinator.model, entities: model.entities)
    }

    @Test(
        "a store of another version answers with its metadata, and one of the same version with nil",
        .tags(.assumed), arguments: kinds)
    func answers(kind: StoreKind) throws {
        let store = try MigratingStore(people(1), in: kind) { $0.make("Person", ["a1": "Ada"]) }
        let file = try Data(contentsOf: store.url)
        let metadata = try #require(try answer(store, people(2)))
        #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == people(1).entityVersionHashesByName)
        #expect(try answer(store, people(1)) == nil)
        #expect(try answer(store, people(2), options: [NSIgnorePersistentStoreVersioningOption: true]) == nil)
        #expect(try Data(contentsOf: store.url) == file)
    }

    @Test("without a store the answer is nil, and no file is made", .tags(.assumed), arguments: kinds)
    func nothing(kind: StoreKind) throws {
        let store = try MigratingStore(kind)
        #expect(try answer(store, people(1)) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path) == [])
    }
}
