// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of one object in an atomic store.

public import Foundation

/// The values of one object of an atomic store, by property name.
///
/// A value is that of an attribute, the node at the other end of a to-one relationship, or a set of nodes (an ordered
/// set for an ordered relationship). Subclass it to keep values elsewhere than in `propertyCache`. Use a node only
/// where its store is used: during `load()` and `save()` and in methods that they call.
open class NSAtomicStoreCacheNode: NSObject {
    /// The id of the object.
    open internal(set) var objectID: NSManagedObjectID
    /// The values; created when the first one is set.
    open var propertyCache: NSMutableDictionary?

    /// Creates a node without values.
    ///
    /// - Parameter moid: an id that the same store has made.
    public init(objectID moid: NSManagedObjectID) { objectID = moid }

    /// The value of a property; nil for null, and for a to-many relationship without members.
    open func value(forKey key: String) -> Any? { propertyCache?[key] }

    /// Sets the value of a property; nil for null.
    open func setValue(_ value: Any?, forKey key: String) {
        guard let value else {
            propertyCache?.removeObject(forKey: key)
            return
        }
        if propertyCache == nil { propertyCache = NSMutableDictionary() }
        propertyCache?[key] = value
    }

    open override var description: String { "<\(Self.self) \(objectID)>" }
}

/// The node of an object with its values in a row of the store's own tables. Created on demand.
final class RowNode: NSAtomicStoreCacheNode {
    private weak var store: NSAtomicStore?
    private var isFilled = false

    init(_ objectID: NSManagedObjectID, _ store: NSAtomicStore) {
        self.store = store
        super.init(objectID: objectID)
    }

    override var propertyCache: NSMutableDictionary? {
        get {
            if !isFilled {
                isFilled = true
                super.propertyCache = store?.storedValues(of: objectID)
            }
            return super.propertyCache
        }
        set {
            isFilled = true
            super.propertyCache = newValue
        }
    }

    override var hash: Int { objectID.hash }

    override func isEqual(_ object: Any?) -> Bool { (object as? RowNode)?.objectID == objectID }
}
