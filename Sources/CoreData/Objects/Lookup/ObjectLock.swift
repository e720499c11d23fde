// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Guards a context's references to its objects, because objects may be deallocated on any thread.

import CRuntime

/// One lock for all identity maps of a context and for the remembered destinations of its objects: following a to-one
/// relationship and deallocating an object each take it once.
///
/// Held for a few instructions; nothing is released under it, because a deallocation takes the lock again.
final class ObjectLock: @unchecked Sendable {  // the lock itself
    /// Lives as long as this object. Separate memory: a lock stored in place would be looked up for each use.
    let word: UnsafeMutablePointer<ocd_lock>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: ocd_lock())
    }

    deinit { word.deallocate() }
}
