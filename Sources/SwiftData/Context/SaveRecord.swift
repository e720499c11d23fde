// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The models of a save: before it, and in the notification afterwards.

import CoreData
import Foundation

final class SaveRecord {
    /// Inserted rows with their temporary identifiers; empty if no temporary identifier was given out.
    private var temporary: [(row: NSManagedObject, id: NSManagedObjectID)] = []
    private var inserted: [NSManagedObject] = []
    private var updated: [NSManagedObject] = []
    private var deleted: [NSManagedObject] = []
    /// Deleted records that have no object in the context.
    private var deletedIDs: [NSManagedObjectID] = []

    init(_ context: NSManagedObjectContext) {
        if !RenamedIdentifiers.isUnused {
            temporary = context.unsavedObjects.inserted.map { ($0, $0.objectID) }
        }
    }

    /// Takes the engine's lists of the written objects, without copies.
    func note(_ saved: SavedObjects) { (inserted, updated, deleted) = (saved.inserted, saved.updated, saved.deleted) }

    /// New rows were merged into others: their models move to those, and their identifiers resolve to them.
    /// SwiftData-C7.
    func note(_ absorbed: [ModelMergePolicy.Absorption]) {
        if absorbed.isEmpty { return }
        // A row that absorbed others may itself be absorbed by a third one later.
        var keepers: [ObjectIdentifier: ModelRow] = [:]
        for one in absorbed.reversed() {
            keepers[ObjectIdentifier(one.row)] = keepers[ObjectIdentifier(one.keeper)] ?? one.keeper
        }
        for one in absorbed {
            if let keeper = keepers[ObjectIdentifier(one.row)] { one.row.moveModel(to: keeper) }
        }
        temporary = temporary.map { (keepers[ObjectIdentifier($0.row)] ?? $0.row, $0.id) }
        inserted.removeAll { keepers[ObjectIdentifier($0)] != nil }
        var seen = Set((inserted + updated).map { ObjectIdentifier($0) })
        updated += keepers.values.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// New rows became those of records, which they updated. SwiftData-C7.
    func note(_ takeovers: Set<ObjectIdentifier>) {
        if takeovers.isEmpty { return }
        updated += inserted.filter { takeovers.contains(ObjectIdentifier($0)) && !$0.isDeleted }
        inserted.removeAll { takeovers.contains(ObjectIdentifier($0)) }
    }

    /// Notes deleted records that have no object in the context.
    func noteDeletions(_ ids: [NSManagedObjectID]) { deletedIDs += ids }

    func noteIdentifiers() { RenamedIdentifiers.noteSaved(temporary.map { ($0.id, $0.row.objectID) }) }

    /// Permanent identifiers.
    var userInfo: [AnyHashable: Any] {
        typealias Key = ModelContext.NotificationKey
        let deletions = deleted.filter { !$0.isInaccessible }.map(\.objectID) + deletedIDs
        return [
            Key.insertedIdentifiers.rawValue: inserted.map { PersistentIdentifier($0.objectID) },
            Key.updatedIdentifiers.rawValue: updated.map { PersistentIdentifier($0.objectID) },
            Key.deletedIdentifiers.rawValue: deletions.map { PersistentIdentifier($0) },
        ]
    }
}
