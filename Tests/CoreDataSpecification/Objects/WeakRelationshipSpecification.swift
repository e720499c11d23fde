// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how an object refers to one of another store: by a stored URI, and by a transient attribute with the object.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A postcard in one store refers to a place in another one.
final class Postcard: NSManagedObject {
    var place: NSManagedObject? {
        get {
            willAccessValue(forKey: "place")
            defer { didAccessValue(forKey: "place") }
            if let known = primitiveValue(forKey: "place") as? NSManagedObject { return known }
            guard let uri = value(forKey: "placeURI") as? URL,
                let id = managedObjectContext?.persistentStoreCoordinator?.managedObjectID(
                    forURIRepresentation: uri)
            else { return nil }
            let found = managedObjectContext?.object(with: id)
            setPrimitiveValue(found, forKey: "place")
            return found
        }
        set {
            setValue(newValue, forKey: "place")
            setValue(newValue?.objectID.uriRepresentation(), forKey: "placeURI")
        }
    }
}

/// Proves: M12, M13
@Suite("Objects found by stored URIs") struct WeakRelationshipSpecification {
    @Test("a transient attribute holds the object, the URI finds it again", arguments: StoreKind.all)
    func acrossStores(store: StoreKind) throws {
        let atlas = try Atlas(["Places", "Notes"], store, notes: Postcard.self)
        defer { withExtendedLifetime(atlas) {} }
        let (coordinator, context) = (atlas.coordinator, atlas.context)
        let place = atlas.insert("Place", ["name": "Ulm"])
        try context.save()
        let card = try #require(atlas.insert("Note") as? Postcard)
        card.place = place
        try context.save()
        #expect(card.place === place)
        #expect(card.objectID.persistentStore !== place.objectID.persistentStore)
        let other = NSManagedObjectContext(concurrencyType: .confined)
        other.persistentStoreCoordinator = coordinator
        let theirs = try #require(try other.existingObject(with: card.objectID) as? Postcard)
        #expect(theirs.value(forKey: "place") == nil)
        #expect(theirs.place?.value(forKey: "name") as? String == "Ulm")
        #expect(theirs.place?.managedObjectContext === other)
        #expect(theirs.primitiveValue(forKey: "place") as? NSManagedObject === theirs.place)
        #expect(!other.hasChanges)
        context.delete(place)
        try context.save()
        other.refresh(theirs, mergeChanges: false)
        #expect(theirs.place?.value(forKey: "name") == nil)
    }
}
