// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The app's stack.

import CoreData

public enum Notebook {
    public static let bundle = Bundle.module
    public static let modelURL = bundle.url(forResource: "Notebook", withExtension: "momd")

    /// - Parameter url: nil for a store in memory.
    public static func container(at url: URL? = nil) throws -> NSPersistentContainer {
        ColourTransformer.register()
        guard let model = modelURL.flatMap({ NSManagedObjectModel(contentsOf: $0) }) else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: model)
        let store = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        store.type = url == nil ? NSInMemoryStoreType : NSSQLiteStoreType
        container.persistentStoreDescriptions = [store]
        // The stores are loaded synchronously.
        nonisolated(unsafe) var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }
}
