// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A conflict of uniqueness: several objects have the same unique values.

public import Foundation

/// Objects with the same values where a uniqueness constraint allows each only once.
///
/// There are two situations:
/// 1. Among several objects of one save: `databaseObject` is nil, `conflictingObjects` are two or more.
/// 2. Between one object of a save and a record: `databaseObject` stands for the record.
///
/// Snapshots have the values of all attributes and to-ones by property name: ids for to-ones, `NSNull` for nil. They
/// have no to-manys: ask the store for those.
open class NSConstraintConflict: NSObject, @unchecked Sendable {  // belongs to the queue of its objects' context
    /// The names of the constrained properties.
    public let constraint: [String]
    /// The values that meet, as they were when the conflict was found.
    public let constraintValues: [String: Any]
    /// The object whose record has the values in the store; nil when the conflict is among unsaved objects.
    public let databaseObject: NSManagedObject?
    /// The values of that object's record.
    public let databaseSnapshot: [String: Any]?
    /// The unsaved objects that want the values.
    public let conflictingObjects: [NSManagedObject]
    /// For each conflicting object, its values when it was last read, or first inserted.
    public let conflictingSnapshots: [[AnyHashable: Any]]

    /// The record as a row; nil when a user made the conflict.
    let row: Snapshot?

    /// Makes a conflict, for a policy to resolve.
    ///
    /// - Parameters:
    ///   - contraint: the names of the constrained properties.
    ///   - databaseObject: the object whose record has the values in the store.
    ///   - databaseSnapshot: the values of that record.
    ///   - conflictingObjects: the unsaved objects that want the values; at least one.
    ///   - conflictingSnapshots: a dictionary for each of them; anything else counts as an empty one.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot.map { snapshot in
            Dictionary(snapshot.compactMap { key, value in (key as? String).map { ($0, value) } }) { first, _ in first }
        }
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        constraintValues = Self.values(contraint, conflictingObjects.first)
        row = nil
    }

    /// Makes a conflict without objects.
    public convenience override init() {
        self.init(constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    /// - Parameter row: of `database`.
    init(_ constraint: [String], _ objects: [NSManagedObject], database: NSManagedObject?, row: Snapshot?) {
        self.constraint = constraint
        self.row = row
        databaseObject = database
        databaseSnapshot = database.flatMap { object in row.map(ConflictSnapshots(object).dictionary) }
        conflictingObjects = objects
        conflictingSnapshots = objects.map { object in
            let layout = object.table.layout
            return ConflictSnapshots(object).dictionary(object.baseRow ?? layout.defaults ?? .make(layout))
        }
        constraintValues = Self.values(constraint, objects.first)
    }

    private static func values(_ constraint: [String], _ object: NSManagedObject?) -> [String: Any] {
        guard let object else { return [:] }
        var result: [String: Any] = [:]
        for name in constraint { result[name] = object.codedValue(forKey: name) ?? NSNull() }
        return result
    }

    open override var description: String {
        let record = databaseObject.map { ", record \($0.objectID)" } ?? ""
        return
            "<NSConstraintConflict: \(constraint.joined(separator: ", ")), \(conflictingObjects.count) objects\(record)>"
    }
}
