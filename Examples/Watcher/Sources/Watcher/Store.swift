// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the list, and a container for a file of it.

import CoreData

/// A thing to do, in a section by its room.
final class Chore: NSManagedObject {
    var title: String {
        get { value(forKey: "title") as? String ?? "" }
        set { setValue(newValue, forKey: "title") }
    }
    var room: String {
        get { value(forKey: "room") as? String ?? "" }
        set { setValue(newValue, forKey: "room") }
    }

    static func request() -> NSFetchRequest<Chore> {
        let request = NSFetchRequest<Chore>(entityName: "Chore")
        request.sortDescriptors = [
            NSSortDescriptor(key: "room", ascending: true), NSSortDescriptor(key: "title", ascending: true),
        ]
        return request
    }
}

enum Store {
    static func model() -> NSManagedObjectModel {
        let chore = NSEntityDescription()
        chore.name = "Chore"
        chore.managedObjectClassName = NSStringFromClass(Chore.self)
        chore.properties = ["title", "room"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = false
            attribute.defaultValue = ""
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [chore]
        return model
    }

    /// A container that records a history and is notified of the saves of other processes.
    static func container(_ path: String) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "List", managedObjectModel: model())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in
            if let error { Watcher.fail("Watcher: \(path) cannot be loaded: \(error)\n", code: 1) }
        }
        return container
    }
}
