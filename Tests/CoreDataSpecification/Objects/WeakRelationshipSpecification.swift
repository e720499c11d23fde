// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how an object refers to one of another store: by a stored URI, and by a transient attribute with the object.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A loan in one store remembers a book of another.
final class Loan: NSManagedObject {
    var book: NSManagedObject? {
        get {
            willAccessValue(forKey: "book")
            defer { didAccessValue(forKey: "book") }
            if let known = primitiveValue(forKey: "book") as? NSManagedObject { return known }
            guard let uri = value(forKey: "bookURI") as? URL,
                let id = managedObjectContext?.persistentStoreCoordinator?.managedObjectID(
                    forURIRepresentation: uri)
            else { return nil }
            let found = managedObjectContext?.object(with: id)
            setPrimitiveValue(found, forKey: "book")
            return found
        }
        set {
            setValue(newValue, forKey: "book")
            setValue(newValue?.objectID.uriRepresentation(), forKey: "bookURI")
        }
    }
}

/// Proves: M12, M13
@Suite("Objects found by stored URIs") struct WeakRelationshipSpecification {
    private static func model() -> NSManagedObjectModel {
        let book = NSEntityDescription("Volume")
        book.attribute("title", .stringAttributeType)
        let loan = NSEntityDescription("Loan", class: Loan.self)
        loan.attribute("bookURI", .URIAttributeType)
        loan.attribute("book", .undefinedAttributeType, transient: true)
        let model = NSManagedObjectModel(book, loan)
        model.setEntities([book], forConfigurationName: "Library")
        model.setEntities([loan], forConfigurationName: "Desk")
        return model
    }

    @Test("a transient attribute holds the object, the URI finds it again", arguments: StoreKind.all)
    func acrossStores(store: StoreKind) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        for name in ["Library", "Desk"] {
            try coordinator.addPersistentStore(
                ofType: store.type, configurationName: name,
                at: store.isPersistent ? folder.appending(path: name + ".sqlite") : nil)
        }
        let context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
        let book = NSEntityDescription.insertNewObject(forEntityName: "Volume", into: context)
        book.setValue("Dune", forKey: "title")
        try context.save()
        let loan = try #require(NSEntityDescription.insertNewObject(forEntityName: "Loan", into: context) as? Loan)
        loan.book = book
        try context.save()
        #expect(loan.book === book)
        #expect(loan.objectID.persistentStore !== book.objectID.persistentStore)
        let other = NSManagedObjectContext(concurrencyType: .confined)
        other.persistentStoreCoordinator = coordinator
        let theirs = try #require(try other.existingObject(with: loan.objectID) as? Loan)
        #expect(theirs.value(forKey: "book") == nil)
        #expect(theirs.book?.value(forKey: "title") as? String == "Dune")
        #expect(theirs.book?.managedObjectContext === other)
        #expect(theirs.primitiveValue(forKey: "book") as? NSManagedObject === theirs.book)
        #expect(!other.hasChanges)
        context.delete(book)
        try context.save()
        other.refresh(theirs, mergeChanges: false)
        #expect(theirs.book?.value(forKey: "title") == nil)
    }
}
