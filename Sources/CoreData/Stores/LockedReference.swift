// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference that one thread replaces while other threads read it.

import CRuntime

/// Holds the state of an open store. A reader retains the state, so it stays valid even if the store is closed during
/// the read.
package final class LockedReference<Content: AnyObject>: @unchecked Sendable {  // `content` is guarded by `lock`
    @exclusivity(unchecked) private var lock = ocd_lock()
    @exclusivity(unchecked) private var content: Content?

    package var current: Content? {
        get {
            ocd_acquire(&lock)
            defer { ocd_release(&lock) }
            return content
        }
        set {
            ocd_acquire(&lock)
            let old = content
            content = newValue
            ocd_release(&lock)
            withExtendedLifetime(old) {}  // released outside of the lock: its deinitializer may take long
        }
    }
}
