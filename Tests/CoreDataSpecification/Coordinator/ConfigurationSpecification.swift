// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how entities are spread over the stores of a coordinator, and objects among them.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Configurations and several stores") struct ConfigurationSpecification {
    /// Proves: F134
    @Test("an insertion goes to the store with the configuration that has its entity", arguments: StoreKind.all)
    func routed(kind: StoreKind) throws {
        let atlas = try Atlas(["Notes", "Places"], kind)
        let (note, place) = (atlas.insert("Note"), atlas.insert("Place"))
        try atlas.context.save()
        #expect(note.objectID.persistentStore === atlas.stores[0])
        #expect(place.objectID.persistentStore === atlas.stores[1])
        #expect(atlas.stores.map(\.configurationName) == ["Notes", "Places"])
    }

    @Test("an entity that no store holds cannot be saved", arguments: StoreKind.all)
    func homeless(kind: StoreKind) throws {
        let atlas = try Atlas(["Notes"], kind)
        let place = atlas.insert("Place")
        #expect(atlas.context.saveFailure()?.code == NSPersistentStoreSaveError)
        #expect(place.objectID.isTemporaryID)
        #expect(failure { try atlas.context.obtainPermanentIDs(for: [place]) }?.code == NSPersistentStoreSaveError)
        #expect(place.objectID.isTemporaryID)
        try atlas.add(1, "Places", kind)
        #expect(atlas.context.saveFailure() == nil)
    }

    @Test("a configuration that the model lacks cannot be opened", arguments: StoreKind.all)
    func unknown(kind: StoreKind) throws {
        let atlas = try Atlas([], kind)
        #expect(failure { try atlas.add(0, "Rivers", kind) }?.code == NSPersistentStoreOpenError)
        #expect(atlas.stores.isEmpty)
    }

    @Test("a model without configurations opens a store of all entities by any name", arguments: StoreKind.all)
    func anyName(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        for name in ["Nowhere", "Default", "PF_DEFAULT_CONFIGURATION_NAME"] where kind.isPersistent {
            let metadata = shop.stack.store.metadata ?? [:]
            #expect(shop.stack.model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata))
            try shop.stack.coordinator.remove(shop.stack.store)
            try shop.stack.coordinator.addPersistentStore(
                ofType: kind.type, configurationName: name, at: shop.stack.url)
            #expect(shop.stack.store.configurationName == name)
            let context = shop.stack.newContext()
            shop.book(name, by: shop.author("Herbert", in: context), in: context)
            try context.save()
            #expect(try shop.titles(Book.request(), in: context).contains("Dune"))
        }
        #expect(shop.stack.model.entities(forConfigurationName: "Nowhere") == nil)
        #expect(try shop.stack.newContext().count(for: Book.request()) == (kind.isPersistent ? 4 : 1))
    }

    @Test("a model with configurations opens a store of all entities as Default", arguments: StoreKind.all)
    func defaultName(kind: StoreKind) throws {
        let atlas = try Atlas([], kind)
        try atlas.add(0, "Default", kind)
        let (note, place) = (atlas.insert("Note"), atlas.insert("Place"))
        try atlas.context.save()
        #expect(note.objectID.persistentStore === atlas.stores[0])
        #expect(place.objectID.persistentStore === atlas.stores[0])
    }

    /// Proves: C15, F134
    @Test(
        "of several stores that hold an entity the first takes it, unless another one is assigned",
        arguments: StoreKind.all)
    func assigned(kind: StoreKind) throws {
        let atlas = try Atlas(["Notes", "Days"], kind)
        let (first, second) = (atlas.insert("Day"), atlas.insert("Day", in: atlas.stores[1]))
        try atlas.context.save()
        #expect(first.objectID.persistentStore === atlas.stores[0])
        #expect(second.objectID.persistentStore === atlas.stores[1])
    }

    @Test("a read-only store takes no insertions where another one holds the entity", arguments: StoreKind.all)
    func readOnly(kind: StoreKind) throws {
        guard kind.isPersistent else { return try onlyReadOnly() }
        let atlas = try Atlas(["Days"], kind)
        _ = atlas.insert("Day", ["number": 1])
        try atlas.context.save()
        try atlas.coordinator.remove(atlas.stores[0])
        atlas.context.reset()
        try atlas.add(0, "Days", kind, options: [NSReadOnlyPersistentStoreOption: true])
        let writable = try atlas.add(1, nil, kind)
        let day = atlas.insert("Day", ["number": 2])
        try atlas.context.save()
        #expect(day.objectID.persistentStore === writable)
        #expect(try atlas.days(NSFetchRequest(entityName: "Day")).sorted() == [1, 2])
        let stored = try #require(
            try atlas.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Day")).first { $0 != day })
        stored.setValue(3, forKey: "number")
        #expect(atlas.context.saveFailure()?.code == CocoaError.fileWriteNoPermission.rawValue)
        #expect(atlas.context.updatedObjects == [stored])
    }

    private func onlyReadOnly() throws {
        let atlas = try Atlas([], .inMemory)
        try atlas.add(0, nil, .inMemory, options: [NSReadOnlyPersistentStoreOption: true])
        let day = atlas.insert("Day")
        let ids = failure { try atlas.context.obtainPermanentIDs(for: [day]) }
        #expect(ids?.code == CocoaError.fileWriteNoPermission.rawValue)
        #expect(day.objectID.isTemporaryID)
        #expect(atlas.context.saveFailure()?.code == CocoaError.fileWriteNoPermission.rawValue)
    }

    /// Proves: C1, C8
    @Test(
        "a fetch over several stores is one list: sorted, cut, counted, and limited to some stores",
        arguments: StoreKind.all)
    func merged(kind: StoreKind) throws {
        let atlas = try Atlas([nil, "Days", "Notes"], kind)
        for number in 0..<30 {
            _ = atlas.insert("Day", ["number": (number * 7) % 30], in: atlas.stores[number % 3])
        }
        try atlas.context.save()
        atlas.context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Day")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        #expect(try atlas.days(request) == (0..<30).reversed())
        request.fetchOffset = 5
        request.fetchLimit = 10
        #expect(try atlas.days(request) == (15..<25).reversed())
        request.predicate = NSPredicate(format: "number < 12")
        #expect(try atlas.days(request) == (0...6).reversed())
        request.fetchOffset = 0
        request.fetchLimit = 0
        request.affectedStores = [atlas.stores[1]]
        let some = try atlas.context.fetch(request)
        #expect(!some.isEmpty && some.allSatisfy { $0.objectID.persistentStore === atlas.stores[1] })
        request.affectedStores = []
        #expect(try atlas.context.count(for: request) == 0)
        request.affectedStores = nil
        #expect(try atlas.context.count(for: request) == 12)
    }

    /// Proves: C22
    @Test("a relationship to an object of another store is refused, and the save is whole", arguments: StoreKind.all)
    func acrossStores(kind: StoreKind) throws {
        let atlas = try Atlas([nil, "Days"], kind)
        let (first, second) = (atlas.insert("Day"), atlas.insert("Day", in: atlas.stores[1]))
        try atlas.context.save()
        first.setValue(second, forKey: "next")
        first.setValue(7, forKey: "number")
        let toOne = atlas.context.saveFailure()
        #expect(toOne?.code == NSManagedObjectExternalRelationshipError)
        #expect(
            toOne?.localizedDescription.contains("Day.next") == true
                || toOne?.localizedDescription.contains("Day.previous") == true)
        #expect(atlas.context.updatedObjects == [first, second])
        atlas.context.rollback()
        let note = atlas.insert("Note")
        note.setValue(NSSet(object: second), forKey: "days")
        #expect(atlas.context.saveFailure()?.code == NSManagedObjectExternalRelationshipError)
        note.setValue(NSSet(object: first), forKey: "days")
        #expect(atlas.context.saveFailure() == nil)
    }
}
