// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An object in a predicate, in the form that stores compare: by key.

import Foundation

/// An object given as an argument of a predicate: the store compares it by key.
///
/// Replaces the object in the constants of `BoundFetch.predicate`. Equal to a row with its key.
package class ObjectArgument: NSObject {
    package final let key: ObjectKey
    /// The root entity within which the key is unique.
    package final let rootIndex: Int
    /// False for objects of another store, or unsaved ones: they equal no row of this store.
    package final let isInStore: Bool

    package init(key: ObjectKey, rootIndex: Int, isInStore: Bool = true) {
        self.key = key
        self.rootIndex = rootIndex
        self.isInStore = isInStore
    }

    package final override var hash: Int { key.key.hashValue }

    package final override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectArgument else { return false }
        return other === self
            || isInStore && other.isInStore && key.key == other.key.key && rootIndex == other.rootIndex
    }
}

// Within one store, which sorts its rows itself.
extension ObjectArgument: IdentityOrdered {
    package final var identityOrder: IdentityOrder { IdentityOrder(store: "", key: key.key) }
}
