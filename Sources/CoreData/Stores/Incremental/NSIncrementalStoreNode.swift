// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One record, as a store that a user writes hands it over.

public import Foundation

/// The values of one record of an incremental store, with a version.
open class NSIncrementalStoreNode: NSObject {
    /// Whose values they are.
    open private(set) var objectID: NSManagedObjectID
    /// Grows with each change of the record: two contexts that change the same version of it are in conflict. A store
    /// that gives the same version always knows no conflicts.
    open private(set) var version: UInt64
    private var values: [String: Any]

    /// Makes a node.
    ///
    /// - Parameters:
    ///   - objectID: an id of the record's own entity, not of a superentity.
    ///   - values: attributes by name, as objects give them; `NSNull` for nil, which attributes that are optional may
    ///     leave out. To-ones by name: an id, or `NSNull`; those that are missing are asked for by
    ///     `newValue(forRelationship:forObjectWith:with:)`, as to-manys always are. Other names are passed over.
    public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        self.objectID = objectID
        self.values = values
        self.version = version
    }

    /// Replaces values and version by newer ones, for stores that keep their nodes.
    open func update(withValues values: [String: Any], version: UInt64) {
        self.values = values
        self.version = version
    }

    /// The value of an attribute, or what a to-one leads to: an id. `NSNull` for nil; nil where there is no value.
    open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
