// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A weak reference to an entity, without the cost of Swift's `weak`.

import CRuntime

/// Refers to an entity without retaining it, like Swift's `weak`.
///
/// A `weak` reference makes all reference counting of the entity three times as slow, and each new object retains its
/// entity. Thread-safe; the entity clears its link in its deinitializer, under the same lock.
final class EntityLink: @unchecked Sendable {  // everything is guarded by `lock`
    @exclusivity(unchecked) private var lock = ocd_lock()
    @exclusivity(unchecked) private var link: WeakWord<NSEntityDescription>?

    /// nil after the entity was deallocated.
    var entity: NSEntityDescription? {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        return link?.object
    }

    func begin(_ entity: NSEntityDescription) { set(WeakWord(entity)) }

    func end() { set(nil) }

    private func set(_ link: WeakWord<NSEntityDescription>?) {
        ocd_acquire(&lock)
        self.link = link
        ocd_release(&lock)
    }
}
