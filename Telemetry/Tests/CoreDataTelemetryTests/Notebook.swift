// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The container of the tests.

import CoreData
import Foundation

/// A model with one entity, and stores in a folder that is removed with it.
final class Notebook: Sendable {
    static let model: NSManagedObjectModel = {
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let memo = NSEntityDescription()
        memo.name = "Memo"
        memo.properties = [title]
        let model = NSManagedObjectModel()
        model.entities = [memo]
        return model
    }()

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A container whose store is not open yet.
    func container(_ options: [String: NSNumber] = [:]) -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Self.model)
        let description = NSPersistentStoreDescription(url: folder.appending(path: "Store.sqlite"))
        for (key, value) in options { description.setOption(value, forKey: key) }
        container.persistentStoreDescriptions = [description]
        return container
    }

    static func insert(_ titles: String..., into context: NSManagedObjectContext) {
        for title in titles {
            NSEntityDescription.insertNewObject(forEntityName: "Memo", into: context).setValue(title, forKey: "title")
        }
    }

    static var request: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Memo") }
}
