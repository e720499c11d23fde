// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Guards the traces that objects leave in a context, as they may die on any thread.

import CRuntime

/// One lock for all identity maps of a context, and for what is remembered of its objects' destinations: who follows
/// a to-one, and who dies, takes it once.
///
/// Held for some instructions; nothing is released under it, as what dies for that comes back here.
final class ObjectLock: @unchecked Sendable {  // the lock itself
    /// Lives as long as this object. An address of its own: taken in place it would be looked up each time.
    let word: UnsafeMutablePointer<ocd_lock>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: ocd_lock())
    }

    deinit { word.deallocate() }
}
