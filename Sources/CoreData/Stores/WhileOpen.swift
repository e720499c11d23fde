// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a store has while it is open, for those who ask while somebody closes it.

import CRuntime

/// Set by who opens and closes a store; any thread may ask at the same time, and keeps what it has got.
final class WhileOpen<Content: AnyObject>: @unchecked Sendable {  // `content` is guarded by `lock`
    @exclusivity(unchecked) private var lock = ocd_spin_lock()
    @exclusivity(unchecked) private var content: Content?

    var current: Content? {
        get {
            ocd_spin_acquire(&lock)
            defer { ocd_spin_release(&lock) }
            return content
        }
        set {
            ocd_spin_acquire(&lock)
            let old = content
            content = newValue
            ocd_spin_release(&lock)
            withExtendedLifetime(old) {}  // its end may take long: not under the lock
        }
    }
}
