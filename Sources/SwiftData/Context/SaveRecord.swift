// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The models of a save: before it, and in the notification afterwards.

import CoreData
import Foundation

struct SaveRecord {
    private var inserted: [NSManagedObject]
    /// Inserted rows with their temporary identifiers; empty if no temporary identifier was given out.
    private var temporary: [(row: NSManagedObject, id: NSManagedObjectID)]
    private var updated: [NSManagedObject]
    private var deleted: [NSManagedObjectID]

    init(_ context: NSManagedObjectContext) {
        let unsaved = context.unsavedObjects
        inserted = unsaved.inserted
        temporary = RenamedIdentifiers.isUnused ? [] : inserted.map { ($0, $0.objectID) }
        updated = unsaved.updated
        deleted = unsaved.deleted.filter { !$0.isInaccessible }.map(\.objectID)
    }

    /// New rows were merged into others: their models move to those, and their identifiers resolve to them.
    /// SwiftData-C7.
    mutating func note(_ absorbed: [ModelMergePolicy.Absorption]) {
        if absorbed.isEmpty { return }
        // A row that absorbed others may itself be absorbed by a third one later.
        var keepers: [ObjectIdentifier: ModelRow] = [:]
        for one in absorbed.reversed() {
            keepers[ObjectIdentifier(one.row)] = keepers[ObjectIdentifier(one.keeper)] ?? one.keeper
        }
        for row in inserted {
            if let keeper = keepers[ObjectIdentifier(row)] { (row as? ModelRow)?.moveModel(to: keeper) }
        }
        temporary = temporary.map { (keepers[ObjectIdentifier($0.row)] ?? $0.row, $0.id) }
        inserted.removeAll { keepers[ObjectIdentifier($0)] != nil }
        var seen = Set((inserted + updated).map { ObjectIdentifier($0) })
        updated += keepers.values.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// New rows became those of records, which they updated. SwiftData-C7.
    mutating func note(_ takeovers: Set<ObjectIdentifier>) {
        if takeovers.isEmpty { return }
        updated += inserted.filter { takeovers.contains(ObjectIdentifier($0)) && !$0.isDeleted }
        inserted.removeAll { takeovers.contains(ObjectIdentifier($0)) }
    }

    /// Notes deleted records that have no object in the context.
    mutating func noteDeletions(_ ids: [NSManagedObjectID]) { deleted += ids }

    func noteIdentifiers() { RenamedIdentifiers.noteSaved(temporary.map { ($0.id, $0.row.objectID) }) }

    /// Permanent identifiers.
    var userInfo: [AnyHashable: Any] {
        typealias Key = ModelContext.NotificationKey
        return [
            Key.insertedIdentifiers.rawValue: inserted.map { PersistentIdentifier($0.objectID) },
            Key.updatedIdentifiers.rawValue: updated.map { PersistentIdentifier($0.objectID) },
            Key.deletedIdentifiers.rawValue: deleted.map { PersistentIdentifier($0) },
        ]
    }
}
