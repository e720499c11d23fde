// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The app's stack with the usual options.

import CoreData

// snippet: stack
public final class Stack: Sendable {
    public static let model: NSManagedObjectModel = {
        let url = Bundle.module.url(forResource: "Firm", withExtension: "momd")!
        return NSManagedObjectModel(contentsOf: url)!
    }()

    public let container: NSPersistentContainer

    public init() {
        LogoTransformer.register()
        container = NSPersistentContainer(name: "Firm", managedObjectModel: Stack.model)
        let description = NSPersistentStoreDescription()
        description.url = URL(fileURLWithPath: "/dev/null")
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in
            if let error { fatalError("The store cannot be loaded: \(error)") }
        }
        container.viewContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        container.viewContext.automaticallyMergesChangesFromParent = true
    }

    public func insert<T: NSManagedObject>(_ type: T.Type, into context: NSManagedObjectContext) -> T {
        T(context: context)
    }
}
// end
