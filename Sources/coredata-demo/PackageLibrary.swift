// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sets up the stack: model, container and store.

import CoreData
import Foundation

/// A ready container of packages.
final class PackageLibrary: Sendable {
    let container: NSPersistentContainer

    private init(_ container: NSPersistentContainer) { self.container = container }

    /// Opens or creates the store.
    ///
    /// - Throws: Core Data's error when the model cannot be found or the store cannot be opened.
    static func open(at url: URL) async throws -> PackageLibrary {
        guard let modelURL = Bundle.module.url(forResource: "Packages", withExtension: "xcdatamodeld"),
            let model = NSManagedObjectModel(contentsOf: modelURL)
        else { throw CocoaError(.fileReadNoSuchFile) }
        let container = NSPersistentContainer(name: "Packages", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        container.persistentStoreDescriptions = [description]
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            container.loadPersistentStores { _, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
        return PackageLibrary(container)
    }

    func close() throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}
