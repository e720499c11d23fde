// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes one of the mistakes 7 to 20 of Guides/GeneratedCode.md, by its number. Built by Scripts/check-mistakes.

import CoreData
import Foundation

@main enum Program {
    static func main() async throws {
        let number = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 0
        do {
            try await Mistakes().make(number)
            print("nothing happened")
        } catch {
            print((error as NSError).localizedDescription)
        }
    }
}

struct Mistakes {
    let model = Self.model()
    let container: NSPersistentContainer
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")

    init() async throws {
        container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: place)]
        try await container.loadPersistentStores()
    }

    func make(_ number: Int) async throws {
        defer { try? container.persistentStoreCoordinator.destroyPersistentStore(at: place, ofType: NSSQLiteStoreType) }
        try await container.performBackgroundTask { [self] context in
            switch number {
            case 7: _ = NSEntityDescription.insertNewObject(forEntityName: "Notes", into: context)
            case 8: _ = note("Groceries", in: context).value(forKey: "titel")
            case 9: note("Groceries", in: context).setValue("12", forKey: "pages")
            case 10: mixContexts(note("Groceries", in: context))
            case 11: _ = NSPredicate(format: "title == '\(String("it's"))'")
            case 12: controlWithoutOrder(in: context)
            case 13: _ = NSPersistentContainer(name: "Shop")
            case 15: _ = try context.fetch(request("titel == 'Groceries'"))
            case 16:
                _ = note(nil, in: context)
                try context.save()
            case 17:
                for _ in 0..<2 { _ = note("Groceries", in: context) }
                try context.save()
            case 18: try overwrite(note("Groceries", in: context), in: context)
            case 20: try openWithOtherModel()
            default: break
            }
        }
        if number == 14 {
            let context = container.newBackgroundContext()
            _ = context.hasChanges
        }
        if number == 19 { _ = try request(nil).execute() }
    }

    private func note(_ title: String?, in context: NSManagedObjectContext) -> NSManagedObject {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(title, forKey: "title")
        return note
    }

    private func request(_ condition: String?) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = condition.map { NSPredicate(format: $0) }
        return request
    }

    private func mixContexts(_ note: NSManagedObject) {
        let other = container.newBackgroundContext()
        other.performAndWait {
            let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: other)
            folder.setValue(Set([note]), forKey: "notes")
        }
    }

    private func controlWithoutOrder(in context: NSManagedObjectContext) {
        _ = NSFetchedResultsController(
            fetchRequest: request(nil), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    }

    private func overwrite(_ note: NSManagedObject, in context: NSManagedObjectContext) throws {
        try context.save()
        let (other, id) = (container.newBackgroundContext(), note.objectID)
        try other.performAndWait {
            other.object(with: id).setValue(1, forKey: "pages")
            try other.save()
        }
        note.setValue(2, forKey: "pages")
        try context.save()
    }

    private func openWithOtherModel() throws {
        let model = Self.model()
        model.entities.first { $0.name == "Note" }?.properties.append(Self.attribute("colour", .stringAttributeType))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: place)
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = name != "title"
        return attribute
    }

    private static func model() -> NSManagedObjectModel {
        let (note, folder) = (NSEntityDescription(), NSEntityDescription())
        (note.name, folder.name) = ("Note", "Folder")
        let (toFolder, toNotes) = (NSRelationshipDescription(), NSRelationshipDescription())
        (toFolder.name, toFolder.destinationEntity, toFolder.maxCount) = ("folder", folder, 1)
        (toNotes.name, toNotes.destinationEntity) = ("notes", note)
        for relationship in [toFolder, toNotes] {
            relationship.isOptional = true
            relationship.deleteRule = .nullifyDeleteRule
        }
        (toFolder.inverseRelationship, toNotes.inverseRelationship) = (toNotes, toFolder)
        note.properties = [
            attribute("title", .stringAttributeType), attribute("pages", .integer64AttributeType), toFolder,
        ]
        note.uniquenessConstraints = [["title"]]
        folder.properties = [toNotes]
        let model = NSManagedObjectModel()
        model.entities = [note, folder]
        return model
    }
}
