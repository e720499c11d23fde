// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The calls of a program on a store from an unknown source.

import CoreData
import Foundation

enum StoreUse {
    /// Opens a store, reads all of it, queries it, and saves to it: results or errors.
    static func run(_ setup: Setup, _ place: Place, _ url: URL? = nil) {
        let url = url ?? place.store
        _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: setup.type, at: url, options: nil)
        guard let site = try? Site(setup, url, timeout: 0.5) else { return }
        _ = try? site.lines()
        for format in ["name BEGINSWITH 'N'", "ANY tags.code != 'x'", "pieces.@count > 1", "parent.amount >= 0"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = NSPredicate(format: format)
            _ = try? site.context.fetch(request)
        }
        site.context.reset()
        if (try? site.load()) != nil {
            site.perform(.insertThing(900_001, isSpecial: true, name: "New"))
            site.perform(.insertPiece(900_002, of: 900_001))
            site.perform(.setBlob(900_001, Blob(seed: 9, count: 110_000)))
            for number in site.objects.keys.sorted().prefix(2) { site.perform(.delete(number)) }
            try? site.context.save()
        }
        try? site.close()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ProvingModel.shared)
        try? coordinator.destroyPersistentStore(at: url, ofType: setup.type, options: nil)
    }
}
