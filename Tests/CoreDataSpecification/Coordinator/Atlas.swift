// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for configurations: one model with entities in several stores.

import CoreData
import CoreDataTestSupport
import Foundation

/// Notes in one configuration, places in another one, days in both. A note refers to a place by its URI.
enum AtlasModel {
    /// - Parameter type: the class of notes.
    static func make(notes type: NSManagedObject.Type? = nil) -> NSManagedObjectModel {
        let note = NSEntityDescription("Note", class: type)
        note.attribute("text", .stringAttributeType)
        note.attribute("placeURI", .URIAttributeType)
        note.attribute("place", .undefinedAttributeType, transient: true)
        let place = NSEntityDescription("Place")
        place.attribute("name", .stringAttributeType)
        let day = NSEntityDescription("Day")
        day.attribute("number", .integer32AttributeType)
        day.attribute("text", .stringAttributeType)
        day.relate("next", .one, to: day, inverse: "previous", .one)
        note.relate("days", .many, to: day, inverse: "notes", .many)
        let model = NSManagedObjectModel(note, place, day)
        model.setEntities([note, day], forConfigurationName: "Notes")
        model.setEntities([place], forConfigurationName: "Places")
        model.setEntities([day], forConfigurationName: "Days")
        return model
    }
}

/// A coordinator with stores of the configurations.
final class Atlas {
    let coordinator: NSPersistentStoreCoordinator
    let context = NSManagedObjectContext(concurrencyType: .confined)
    private let folder = FileManager.default.temporaryDirectory.appending(path: "OpenCoreData-\(UUID().uuidString)")

    /// - Parameter type: the class of notes.
    init(_ configurations: [String?], _ kind: StoreKind, notes type: NSManagedObject.Type? = nil) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: AtlasModel.make(notes: type))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        context.persistentStoreCoordinator = coordinator
        for (number, configuration) in configurations.enumerated() { try add(number, configuration, kind) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var stores: [NSPersistentStore] { coordinator.persistentStores }

    @discardableResult
    func add(_ number: Int, _ configuration: String?, _ kind: StoreKind, options: [AnyHashable: Any]? = nil) throws
        -> NSPersistentStore
    {
        try coordinator.addPersistentStore(
            ofType: kind.type, configurationName: configuration,
            at: kind == .inMemory ? nil : kind.place(folder.appending(path: "\(number).store")), options: options)
    }

    func insert(_ entity: String, _ values: [String: Any] = [:], in store: NSPersistentStore? = nil) -> NSManagedObject
    {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        if let store { context.assign(object, to: store) }
        return object
    }

    func days(_ request: NSFetchRequest<NSManagedObject>) throws -> [Int] {
        try context.fetch(request).compactMap { $0.value(forKey: "number") as? Int }
    }
}
