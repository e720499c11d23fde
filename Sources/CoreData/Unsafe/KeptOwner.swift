// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference that is released safely at the beginning of a long chain. SwiftData-M7.

/// Retains the owner of another object. Chains of these may have any length (`NestedReleases`).
package struct KeptOwner: ~Copyable {
    private var object: Unmanaged<AnyObject>?

    package init() {}

    private init(_ object: Unmanaged<AnyObject>?) { self.object = object }

    deinit { if let object { NestedReleases.release(object) } }

    /// - Returns: the previous reference, for the caller to release: its deinitializer may call this method.
    package mutating func replace(with owner: AnyObject?) -> KeptOwner {
        let former = KeptOwner(object)
        object = owner.map { Unmanaged.passRetained($0) }
        return former
    }
}
