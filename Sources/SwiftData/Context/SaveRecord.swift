// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a save is about: before it, and as it is told afterwards.

import CoreData
import Foundation

struct SaveRecord {
    private let inserted: [(row: NSManagedObject, temporary: NSManagedObjectID)]
    private let updated: [NSManagedObject]
    private let deleted: [NSManagedObjectID]

    init(_ context: NSManagedObjectContext) {
        inserted = context.insertedObjects.map { ($0, $0.objectID) }
        updated = Array(context.updatedObjects)
        deleted = context.deletedObjects.map(\.objectID)
    }

    func noteIdentifiers() {
        RenamedIdentifiers.noteSaved(inserted.map { ($0.temporary, $0.row.objectID) })
    }

    /// Permanent identifiers.
    var userInfo: [AnyHashable: Any] {
        typealias Key = ModelContext.NotificationKey
        return [
            Key.insertedIdentifiers.rawValue: inserted.map { PersistentIdentifier($0.row.objectID) },
            Key.updatedIdentifiers.rawValue: updated.map { PersistentIdentifier($0.objectID) },
            Key.deletedIdentifiers.rawValue: deleted.map { PersistentIdentifier($0) },
        ]
    }
}
