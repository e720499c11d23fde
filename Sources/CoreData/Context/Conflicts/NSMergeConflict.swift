// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a merge policy is told of a conflict.

public import Foundation

/// A record that was changed since the object here was last read.
///
/// Values are given by property name, nil as `NSNull`.
open class NSMergeConflict: NSObject, @unchecked Sendable {  // belongs to the queue of its object's context
    /// The object that was to be saved.
    public let sourceObject: NSManagedObject
    /// What the object's values were when they were last read.
    public let objectSnapshot: [String: Any]?
    /// The newer row as the coordinator knows it, for a conflict between context and coordinator; else nil.
    public let cachedSnapshot: [String: Any]?
    /// The newer row in the store, for a conflict between coordinator and store; else nil.
    public let persistedSnapshot: [String: Any]?
    /// The version of the newer row; 0 when it was deleted.
    public let newVersionNumber: Int
    /// The version that the changes here were made on.
    public let oldVersionNumber: Int

    /// nil: the record is gone.
    let row: Snapshot?

    init(_ object: NSManagedObject, _ conflict: SaveOutcome.Conflict, cached: Snapshot?) {
        sourceObject = object
        row = conflict.row
        let base = object.rare?.committed ?? object.snapshot
        objectSnapshot = base.map(Self.values)
        cachedSnapshot = cached.map(Self.values)
        persistedSnapshot = cached == nil ? conflict.row.map(Self.values) : nil
        newVersionNumber = Int(conflict.row?.version ?? 0)
        oldVersionNumber = Int(base?.version ?? 0)
    }

    static func values(_ row: Snapshot) -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in row.layout.attributeSlots where !row.layout[slot].isTransient {
            result[row.layout.properties[slot].name] = row.value(slot) ?? NSNull()
        }
        return result
    }

    open override var description: String {
        "<NSMergeConflict: \(sourceObject.objectID) version \(oldVersionNumber), now \(newVersionNumber)>"
    }
}

/// Objects with the same values where a uniqueness constraint allows each only once.
open class NSConstraintConflict: NSObject, @unchecked Sendable {  // belongs to the queue of its objects' context
    /// The names of the constrained attributes.
    public let constraint: [String]
    /// The values that meet.
    public let constraintValues: [String: Any]
    /// The object that has the values in the store; nil when the conflict is among unsaved objects.
    public let databaseObject: NSManagedObject?
    /// The values of that object's row.
    public let databaseSnapshot: [String: Any]?
    /// The unsaved objects that want the values.
    public let conflictingObjects: [NSManagedObject]
    /// What the values of those objects were when they were last read.
    public let conflictingSnapshots: [[String: Any]]

    let row: Snapshot?

    init(
        _ constraint: [String], _ object: NSManagedObject, _ conflict: SaveOutcome.Conflict, rivals: [NSManagedObject],
        store: any RecordStore, context: NSManagedObjectContext
    ) {
        self.constraint = constraint
        row = conflict.row
        conflictingObjects = [object] + rivals.filter { $0 !== object }
        conflictingSnapshots = conflictingObjects.map {
            ($0.rare?.committed ?? $0.snapshot).map(NSMergeConflict.values) ?? [:]
        }
        var values: [String: Any] = [:]
        for name in constraint { values[name] = object.value(forKey: name) ?? NSNull() }
        constraintValues = values
        databaseSnapshot = conflict.row.map(NSMergeConflict.values)
        databaseObject = conflict.row.map { row in
            context.registry.unique(ObjectKey(row.layout.index, conflict.rowKey), store.identity, row: row)
        }
    }

    open override var description: String {
        "<NSConstraintConflict: \(constraint.joined(separator: ", ")) = \(constraintValues), \(conflictingObjects.count) objects>"
    }
}
