// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference that is released safely at the head of a long chain. SwiftData-M7.

/// Keeps the owner of another object. Chains of these may be of any length (`NestedReleases`).
package struct KeptOwner: ~Copyable {
    private var object: Unmanaged<AnyObject>?

    package init() {}

    private init(_ object: Unmanaged<AnyObject>?) { self.object = object }

    deinit { if let object { NestedReleases.release(object) } }

    /// - Returns: the one before, for the caller to let go: its end may come back here.
    package mutating func replace(with owner: AnyObject?) -> KeptOwner {
        let former = KeptOwner(object)
        object = owner.map { Unmanaged.passRetained($0) }
        return former
    }
}
