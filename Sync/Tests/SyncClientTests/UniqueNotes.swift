// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Notes with unique titles, so that a server can refuse a change that the device allowed.
import CoreData
import Foundation

enum UniqueNotes {
    static func model() -> NSManagedObjectModel {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [title]
        note.uniquenessConstraints = [["title"]]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    static func insert(_ title: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(title, forKey: "title")
            try context.save()
        }
    }

    static func rename(_ title: String, _ new: String, _ container: NSPersistentContainer) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(format: "title == %@", title)
            try context.fetch(request).first?.setValue(new, forKey: "title")
            try context.save()
        }
    }
}
