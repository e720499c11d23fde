// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order of objects that are sorted by their identity.

/// An object with a position among the objects of its kind. Only sort descriptors use it; predicates have no order of
/// objects.
package protocol IdentityOrdered: AnyObject {
    var identityOrder: IdentityOrder { get }
}

/// The order of creation: by store, then by key, unsaved objects last.
package struct IdentityOrder: Comparable {
    private let store: String
    private let key: Int64

    /// - Parameter key: negative for an unsaved object; these keys count down.
    package init(store: String, key: Int64) {
        (self.store, self.key) = (store, key)
    }

    package static func < (one: IdentityOrder, other: IdentityOrder) -> Bool {
        let (isUnsaved, isOtherUnsaved) = (one.key < 0, other.key < 0)
        if isUnsaved != isOtherUnsaved { return isOtherUnsaved }
        return one.store == other.store ? one.key.magnitude < other.key.magnitude : one.store < other.store
    }
}
