// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A conflict of uniqueness: several objects have the same unique values.

public import Foundation

/// Objects with equal values, although a uniqueness constraint allows these values only once.
///
/// There are two situations:
/// 1. Among several objects of one save: `databaseObject` is nil, `conflictingObjects` are two or more.
/// 2. Between one object of a save and a record: `databaseObject` represents the record.
///
/// Snapshots contain the values of all attributes and to-one relationships by property name: ids for to-one
/// relationships, `NSNull` for nil. They contain no to-many relationships: read those from the store.
open class NSConstraintConflict: NSObject, @unchecked Sendable {  // belongs to the queue of its objects' context
    /// The names of the constrained properties.
    public let constraint: [String]
    /// The equal values, at the time when the conflict was found.
    public var constraintValues: [String: Any] { wanted?.values(of: constraint) ?? givenValues }
    /// The object of the record that has the values in the store; nil if the conflict is among unsaved objects.
    public var databaseObject: NSManagedObject? {
        if knownDatabaseObject == nil, let record { knownDatabaseObject = record.object(for: conflictingObjects) }
        return knownDatabaseObject
    }
    /// The values of that object's record.
    public var databaseSnapshot: [String: Any]? { snapshots.database }
    /// The unsaved objects with the same values.
    public let conflictingObjects: [NSManagedObject]
    /// For each conflicting object, its values when it was last read or first inserted.
    public var conflictingSnapshots: [[AnyHashable: Any]] { snapshots.conflicting }

    /// The record; nil if the program made the conflict, and for one among unsaved objects.
    let record: Record?
    private var knownDatabaseObject: NSManagedObject?
    /// The equal values in the form of rows; nil if the program made the conflict, and for a constraint with a to-one
    /// relationship.
    let wanted: UniqueSlots?
    private let givenValues: [String: Any]
    private let snapshots: Snapshots

    /// A record that has the values. Its object is made when a policy asks for it.
    struct Record {
        let row: Snapshot
        let key: ObjectKey
        let home: StoreIdentity?

        /// - Returns: nil if none of the objects is in a context any more.
        fileprivate func object(for objects: [NSManagedObject]) -> NSManagedObject? {
            objects.lazy.compactMap(\.contextState).first?.registry.unique(key, home, row: row)
        }
    }

    /// A save may have thousands of conflicts, and most policies do not read snapshots: they are created from the rows
    /// on demand.
    private enum Snapshots {
        case given(database: [String: Any]?, conflicting: [[AnyHashable: Any]])
        case rows(ConflictSnapshots, database: Snapshot?, conflicting: [Snapshot])

        var database: [String: Any]? {
            switch self {
            case .given(let database, _): database
            case .rows(let form, let database, _): database.map(form.dictionary)
            }
        }

        var conflicting: [[AnyHashable: Any]] {
            switch self {
            case .given(_, let conflicting): conflicting
            case .rows(let form, _, let conflicting): conflicting.map(form.dictionary)
            }
        }
    }

    /// Makes a conflict for a policy to resolve.
    ///
    /// - Parameters:
    ///   - contraint: the names of the constrained properties.
    ///   - databaseObject: the object of the record that has the values in the store.
    ///   - databaseSnapshot: the values of that record.
    ///   - conflictingObjects: the unsaved objects with the same values; at least one.
    ///   - conflictingSnapshots: a dictionary for each of them; anything else counts as an empty one.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = contraint
        knownDatabaseObject = databaseObject
        self.conflictingObjects = conflictingObjects
        snapshots = .given(
            database: databaseSnapshot.map { snapshot in
                snapshot.reduce(into: [:]) { values, entry in
                    if let name = entry.key as? String { values[name] = entry.value }
                }
            }, conflicting: conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] })
        givenValues = Self.values(contraint, conflictingObjects.first)
        wanted = nil
        record = nil
    }

    /// Makes a conflict without objects.
    public convenience override init() {
        self.init(constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    /// - Parameters:
    ///   - record: nil for a conflict among the objects.
    ///   - form: converts the rows of the objects and of the record.
    init(_ constraint: [String], _ objects: [NSManagedObject], _ record: Record?, _ form: ConflictSnapshots) {
        self.constraint = constraint
        self.record = record
        conflictingObjects = objects
        snapshots = .rows(
            form, database: record?.row,
            conflicting: objects.map { object in
                // The policy may change the object before the snapshots are created: the change must go into another
                // block.
                object.flags.remove(.ownsSnapshot)
                let layout = object.table.layout
                return object.baseRow ?? layout.defaults ?? .make(layout)
            })
        wanted = objects.first.flatMap { UniqueSlots(constraint, of: $0) }
        givenValues = wanted == nil ? Self.values(constraint, objects.first) : [:]
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

/// The attributes of a constraint in the row of an object. Comparing rows costs less than comparing boxed values.
struct UniqueSlots {
    private let row: Snapshot
    private let slots: [Int]

    /// nil if one of the properties is not an attribute, or has no value.
    init?(_ constraint: [String], of object: NSManagedObject) {
        let layout = object.table.layout
        row = object.realized
        slots = constraint.compactMap(layout.slot)
        guard slots.count == constraint.count else { return nil }
        for slot in slots where layout.attribute(slot) == nil || row.isNull(slot) { return nil }
    }

    func values(of constraint: [String]) -> [String: Any] {
        Dictionary(zip(constraint, slots.map { row.value($0) ?? NSNull() })) { first, _ in first }
    }

    /// - Parameter object: an object of the entity that declares the constraint.
    func areValues(of object: NSManagedObject) -> Bool {
        let other = object.realized
        return slots.allSatisfy { other.isEqual(row, slot: $0) }
    }
}
