// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// XML and binary stores open without a model, and files of Apple's tools are rewritten byte for byte.

import CoreData
import CoreDataModelFiles
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("XML and binary stores") struct AtomicStoreTests {
    static let names: [String] = {
        let folder = FixtureStores.root.appendingPathComponent("atomic").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }()

    /// Relationships of the samples that are inverses of one another.
    private static let inverses = [
        ("CHEF", "recipes", "RECIPE", "chef"), ("CUISINE", "recipes", "RECIPE", "cuisines"),
        ("RECIPE", "ingredients", "INGREDIENT", "recipe"), ("MEASURE", "ingredients", "INGREDIENT", "measure"),
        ("XDDevMappingModel", "entitymappings", "XDDevEntityMapping", "mappingmodel"),
        ("XDDevEntityMapping", "attributemappings", "XDDevAttributeMapping", "entitymapping"),
        ("XDDevEntityMapping", "relationshipmappings", "XDDevRelationshipMapping", "entitymapping"),
    ]

    private func copy(_ name: String, _ folder: TemporaryFolder) throws -> URL {
        let url = folder.url.appendingPathComponent("Store.xml")
        try FileManager.default.copyItem(at: FixtureStores.root.appendingPathComponent("atomic/\(name)"), to: url)
        return url
    }

    private func objects(in data: Data) -> Int {
        String(decoding: data, as: UTF8.self).components(separatedBy: "<object ").count - 1
    }

    @Test("every XML store of the collection opens and has all its objects", .needsFixtures, arguments: names)
    func opening(name: String) throws {
        let folder = try TemporaryFolder()
        let url = try copy(name, folder)
        let data = try Data(contentsOf: url)
        let opened = try OpenedStore(url)
        #expect(opened.origin == .objects)
        #expect(opened.type == NSXMLStoreType)
        #expect(try ModelSummary(store: opened).entities.compactMap(\.count).reduce(0, +) == objects(in: data))
        for entity in opened.entities {
            let rows = try Query(entityName: entity.name ?? "").run(on: opened).rows
            #expect(rows.allSatisfy { !$0.cells.isEmpty })
        }
        #expect(try Data(contentsOf: url) == data)
    }

    @Test("a store that is loaded and saved as it is has the same bytes", .needsFixtures, arguments: names)
    func unchanged(name: String) throws {
        let folder = try TemporaryFolder()
        let url = try copy(name, folder)
        let data = try Data(contentsOf: url)
        var (_, document, _) = try XMLStoreModel.infer(url)
        try save(document, url)
        #expect(try Data(contentsOf: url) == data)
        // To-manys with an inverse are found by it, but keep the order that the file had.
        for (one, name, other, inverse) in Self.inverses {
            relate(&document, one, name, other, inverse)
            relate(&document, other, inverse, one, name)
        }
        try save(document, url)
        let related = try Data(contentsOf: url)
        #expect(related == data || Self.oneSided.contains(name))
        try save(document, url)
        #expect(try Data(contentsOf: url) == related)
    }

    /// Has ingredients with a measure that does not refer back: the link is there, so both ends say so once
    /// saved.
    private static let oneSided = ["fruitsamples_CoreRecipes__Jamaican_Recipes.crx"]

    private func relate(
        _ document: inout ModelDocument, _ one: String, _ name: String, _ other: String, _ inverse: String
    ) {
        guard
            document.entities.contains(where: { entity in
                entity.name == other && entity.relationships.contains { $0.traits.name == inverse }
            }),
            let entity = document.entities.firstIndex(where: { $0.name == one }),
            let position = document.entities[entity].relationships.firstIndex(where: { $0.traits.name == name })
        else { return }
        document.entities[entity].relationships[position].inverseName = inverse
        document.entities[entity].relationships[position].inverseEntityName = other
    }

    private func save(_ document: ModelDocument, _ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel(document: document))
        let store = try coordinator.addPersistentStore(
            ofType: NSXMLStoreType, configurationName: nil, at: url,
            options: [NSIgnorePersistentStoreVersioningOption: true])
        try (store as? NSAtomicStore)?.save()
        try coordinator.remove(store)
    }

    @Test("a change to one object changes only its line", .needsFixtures)
    func oneChange() throws {
        let folder = try TemporaryFolder()
        let url = try copy("fruitsamples_CoreRecipes__CoreRecipesCocoaView.xml", folder)
        let before = String(decoding: try Data(contentsOf: url), as: UTF8.self).components(separatedBy: "\n")
        let opened = try OpenedStore(url, isWritable: true)
        try opened.context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "CHEF")
            request.predicate = NSPredicate(format: "firstname == 'Grandma'")
            try opened.context.fetch(request).first?.setValue("Grandpa", forKey: "firstname")
            try opened.context.save()
        }
        let after = String(decoding: try Data(contentsOf: url), as: UTF8.self).components(separatedBy: "\n")
        let changed = after.filter { !before.contains($0) && !$0.contains("key>") && $0.contains("attribute") }
        #expect(changed == ["        <attribute name=\"firstname\" type=\"string\">Grandpa</attribute>"])
    }

    @Test("a binary store opens with its own description of itself")
    func binary() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Store.bin")
        let parent = NSEntityDescription()
        parent.name = "Animal"
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        parent.properties = [name]
        let child = NSEntityDescription()
        child.name = "Dog"
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = parent
        friends.maxCount = 0
        let list = NSAttributeDescription()
        list.name = "list"
        list.attributeType = .transformableAttributeType
        child.properties = [friends, list]
        parent.subentities = [child]
        let model = NSManagedObjectModel()
        model.entities = [parent, child]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let rex = NSEntityDescription.insertNewObject(forEntityName: "Dog", into: context)
            rex.setValue("Rex", forKey: "name")
            rex.setValue(["bone"], forKey: "list")
            rex.setValue(NSSet(array: [rex]), forKey: "friends")
            try context.save()
        }
        let identifier = store.identifier
        try coordinator.remove(store)
        let opened = try OpenedStore(url)
        #expect(opened.origin == .outline)
        #expect(opened.file.uuid == identifier)
        let rows = try Query(entityName: "Animal", selection: ["name"]).run(on: opened).rows
        #expect(rows.map { $0.cells.first?.tableText } == ["Rex"])
        #expect(try opened.entity(named: "dog").superentity?.name == "Animal")
    }
}
