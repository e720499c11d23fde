// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How a part of a model leads to an entity that it does not hold.

import CRuntime

/// Leads to an entity for as long as somebody holds it, as Swift's `weak` does.
///
/// With one reference of that kind every count of the entity takes three times as long, and each object that is made counts it.
/// Any thread; the entity ends its link when it dies, under the same lock.
final class EntityLink: @unchecked Sendable {  // everything is guarded by `lock`
    @exclusivity(unchecked) private var lock = ocd_spin_lock()
    @exclusivity(unchecked) private var pointer: UnsafeMutableRawPointer?

    /// nil: it is gone.
    var entity: NSEntityDescription? {
        ocd_spin_acquire(&lock)
        defer { ocd_spin_release(&lock) }
        guard let pointer, ocd_try_retain(pointer) != nil else { return nil }
        return Unmanaged<NSEntityDescription>.fromOpaque(pointer).takeRetainedValue()
    }

    func begin(_ entity: NSEntityDescription) { set(Unmanaged.passUnretained(entity).toOpaque()) }

    func end() { set(nil) }

    private func set(_ pointer: UnsafeMutableRawPointer?) {
        ocd_spin_acquire(&lock)
        self.pointer = pointer
        ocd_spin_release(&lock)
    }
}
