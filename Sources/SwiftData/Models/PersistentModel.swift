// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The protocol of all models.

public import CoreData
import Foundation

/// A class with instances that a store keeps. `@Model` adds the conformance.
///
/// A model belongs to the actor of its context; outside of a context it belongs to its maker.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// The properties of the class itself, without inherited ones.
    nonisolated static var schemaMetadata: [Schema.PropertyMetadata] { get }
    /// The entity of new instances. Not for direct use.
    nonisolated static var _$entity: _ClassEntity { get }
    /// The managed object with the values. Not for direct use.
    nonisolated var _$row: ModelRow { get }
    /// Makes the instance for a row. Not for direct use.
    nonisolated init(_$row: ModelRow)
    /// Gives the instance another row: the record that it updated by its unique values. Not for direct use.
    nonisolated func _$adopt(_ row: ModelRow)
}

extension PersistentModel {
    /// The identifier of the record. It stays equal when a first save makes it permanent.
    public nonisolated var persistentModelID: PersistentIdentifier { PersistentIdentifier(_$row) }

    /// `persistentModelID`, unless the class declares its own `id`.
    public nonisolated var id: PersistentIdentifier { persistentModelID }

    /// The context; nil before the insertion, and after a deletion was saved. If the program has released the context,
    /// a new one for the same models, which stays as long as they do.
    public nonisolated var modelContext: ModelContext? { (_$row.managedObjectContext as? EngineContext)?.handle }

    /// Whether there are unsaved changes, or an unsaved insertion or deletion.
    public nonisolated var hasChanges: Bool { _$row.hasChanges && !_$row.isInaccessible }

    /// Whether the context deleted it, or its record is gone. Stays true after the deletion is saved.
    public nonisolated var isDeleted: Bool { _$row.isDeleted || _$row.wasDeleted }

    /// By identity.
    public nonisolated static func == (lhs: Self, rhs: Self) -> Bool { lhs === rhs }

    /// By identity.
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The object of `import CoreData` with the values; nil before the insertion.
    public nonisolated var managedObject: NSManagedObject? { _$row.managedObjectContext == nil ? nil : _$row }
}

/// Models are confined to the actor of their context.
extension PersistentModel {
    /// Notes a read for Swift's Observation. Rows note reads themselves.
    public nonisolated func access<Member>(keyPath: KeyPath<Self, Member>) { _ = self[keyPath: keyPath] }

    /// Runs a change. Rows announce changes themselves.
    public nonisolated func withMutation<Member, Result>(
        keyPath: KeyPath<Self, Member>, _ mutation: () throws -> Result
    ) rethrows -> Result {
        try mutation()
    }
}
