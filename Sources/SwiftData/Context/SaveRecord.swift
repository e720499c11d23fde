// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The models of a save: before it, and in the notification afterwards.

import CoreData
import Foundation

struct SaveRecord {
    private var inserted: [(row: NSManagedObject, temporary: NSManagedObjectID)]
    private var updated: [NSManagedObject]
    /// The temporary identifiers of rows that became part of another one.
    private var renamed: [(NSManagedObjectID, NSManagedObjectID)] = []
    private var deleted: [NSManagedObjectID]

    init(_ context: NSManagedObjectContext) {
        inserted = context.insertedObjects.map { ($0, $0.objectID) }
        updated = Array(context.updatedObjects)
        deleted = context.deletedObjects.filter { !$0.isInaccessible }.map(\.objectID)
    }

    /// New rows became part of others: their models go over, and their identifiers lead there. SwiftData-C7.
    mutating func note(_ absorbed: [ModelMergePolicy.Absorption]) {
        if absorbed.isEmpty { return }
        // A row that took others in may itself have gone into a third one later.
        var keepers: [ObjectIdentifier: ModelRow] = [:]
        for one in absorbed.reversed() {
            keepers[ObjectIdentifier(one.row)] = keepers[ObjectIdentifier(one.keeper)] ?? one.keeper
        }
        for (row, temporary) in inserted {
            guard let keeper = keepers[ObjectIdentifier(row)] else { continue }
            renamed.append((temporary, keeper.objectID))
            (row as? ModelRow)?.handOver(to: keeper)
        }
        inserted.removeAll { keepers[ObjectIdentifier($0.row)] != nil }
        var seen = Set((inserted.map(\.row) + updated).map { ObjectIdentifier($0) })
        updated += keepers.values.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Records that no object of the context stands for.
    mutating func noteDeletions(_ ids: [NSManagedObjectID]) { deleted += ids }

    func noteIdentifiers() {
        RenamedIdentifiers.noteSaved(inserted.map { ($0.temporary, $0.row.objectID) } + renamed)
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
