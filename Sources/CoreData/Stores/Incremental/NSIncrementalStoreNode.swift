// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of one record of a custom incremental store.

public import Foundation

/// The values of one record of an incremental store, with a version.
open class NSIncrementalStoreNode: NSObject {
    /// The id of the record.
    open private(set) var objectID: NSManagedObjectID
    /// Increases with each change of the record. Two contexts that change the same version are in conflict. A store
    /// that always returns the same version never has conflicts.
    open private(set) var version: UInt64
    private var values: [String: Any]

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - objectID: an id of the record's own entity, not of a superentity.
    ///   - values: attributes by name, with the types of object properties; `NSNull` for nil. Optional attributes may
    ///     be missing. To-one relationships by name: an id, or `NSNull`; missing ones are requested by
    ///     `newValue(forRelationship:forObjectWith:with:)`, as are all to-many relationships. Other names are ignored.
    ///   - version: rises with each change of the record; a save compares it.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
    }

    /// Replaces values and version, for stores that keep their nodes.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// The value of an attribute, or the id of a to-one relationship's destination. `NSNull` for null; nil if there
    /// is no value.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
