// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the behaviour of a relationship with an inverse that has another inverse.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Inverses named on one side only") struct OneSidedInverseSpecification {
    /// Images of an artist refer back to the artist; the thumbnail of an artist names the same inverse.
    private func model() -> NSManagedObjectModel {
        let artist = NSEntityDescription("Artist")
        let image = NSEntityDescription("Image")
        artist.attribute("name", .stringAttributeType)
        artist.relate("images", .many, to: image, inverse: "artist", .one)
        let thumbnail = artist.relationship("thumbnail", .one, to: image)
        let samples = artist.relationship("samples", .many, to: image)
        for oneSided in [thumbnail, samples] { oneSided.inverseRelationship = image.relationshipsByName["artist"] }
        return NSManagedObjectModel(artist, image)
    }

    /// Decided by `addPersistentStore` with a model in which two relationships have one inverse, and its values after
    /// `save()`.
    @Test("a store opens, and both relationships keep their values", .tags(.assumed), arguments: StoreKind.all)
    func values(store: StoreKind) throws {
        let stack = try Stack(store, model())
        let artist = NSEntityDescription.insertNewObject(forEntityName: "Artist", into: stack.context)
        let images = (0..<3).map { _ in
            NSEntityDescription.insertNewObject(forEntityName: "Image", into: stack.context)
        }
        artist.setValue(NSSet(array: Array(images.prefix(2))), forKey: "images")
        artist.setValue(images[2], forKey: "thumbnail")
        artist.setValue(NSSet(array: Array(images.suffix(2))), forKey: "samples")
        #expect(images.map { $0.value(forKey: "artist") == nil } == [false, false, true])
        try stack.context.save()

        let (id, thumbnail) = (artist.objectID, images[2].objectID)
        let context = stack.newContext()
        let read = try context.existingObject(with: id)
        #expect((read.value(forKey: "thumbnail") as? NSManagedObject)?.objectID == thumbnail)
        #expect((read.value(forKey: "images") as? Set<NSManagedObject>)?.count == 2)
        let samples = read.value(forKey: "samples") as? Set<NSManagedObject>
        #expect(samples.map { Set($0.map(\.objectID)) } == Set(images.suffix(2).map(\.objectID)))
        read.setValue(nil, forKey: "thumbnail")
        read.setValue(NSSet(), forKey: "images")
        try context.save()
        #expect((read.value(forKey: "samples") as? Set<NSManagedObject>)?.count == 2)
        context.delete(read)
        try context.save()
        #expect(try stack.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Image")) == 3)
    }

    @Test("the descriptions and version hashes keep the inverse that the model names")
    func descriptions() throws {
        let (oneSided, plain) = (model(), model())
        plain.entitiesByName["Artist"]?.relationshipsByName["thumbnail"]?.inverseRelationship = nil
        #expect(oneSided.entityVersionHashesByName["Artist"] != plain.entityVersionHashesByName["Artist"])
        let before = oneSided.entityVersionHashesByName
        let stack = try Stack(.sqlite, oneSided)
        #expect(stack.model.entityVersionHashesByName == before)
        let thumbnail = stack.model.entitiesByName["Artist"]?.relationshipsByName["thumbnail"]
        #expect(thumbnail?.inverseRelationship?.name == "artist")
        #expect(thumbnail?.inverseRelationship?.inverseRelationship?.name == "images")
    }
}
