// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A preview of a deletion: all consequences of the delete rules. Studio-E5.

import CoreData
import CoreDataToolKit
import Foundation

/// The consequences of a deletion.
struct DeletionPreview: Sendable {
    struct Group: Sendable {
        let entityName: String
        let count: Int
        /// The titles of the first objects.
        let titles: [String]
    }

    let id: String
    let title: String
    /// The deleted objects, this one included.
    let deleted: [Group]
    /// The objects that stay but lose a relationship to a deleted one.
    let changed: [Group]
    /// Sentences: rules that forbid the deletion.
    let obstacles: [String]
}

extension StudioSession {
    /// Deletes in a child context that is thrown away.
    func preview(deletionOf name: String) async throws -> DeletionPreview {
        let (id, parent) = try await read { desk in (try desk.object(name).objectID, desk.context) }
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        return try await child.perform {
            let object = try child.existingObject(with: id)
            let title = ObjectTitle.text(of: object)
            child.delete(object)
            child.processPendingChanges()
            let obstacles = child.deletedObjects.flatMap { object -> [String] in
                do {
                    try object.validateForDelete()
                    return []
                } catch {
                    return RuleFailure.all(in: error).map(\.message)
                }
            }
            let gone = child.deletedObjects
            let preview = DeletionPreview(
                id: name, title: title, deleted: Self.groups(gone),
                changed: Self.groups(child.updatedObjects.subtracting(gone)), obstacles: obstacles.sorted())
            child.reset()
            return preview
        }
    }

    private static func groups(_ objects: Set<NSManagedObject>) -> [DeletionPreview.Group] {
        Dictionary(grouping: objects) { $0.entity.name ?? "" }.map { name, members in
            DeletionPreview.Group(
                entityName: name, count: members.count,
                titles: members.prefix(200).map(ObjectTitle.text).sorted().prefix(5).map(\.self))
        }.sorted { $0.entityName < $1.entityName }
    }
}
