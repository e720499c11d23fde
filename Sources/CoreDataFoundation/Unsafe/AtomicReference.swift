// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A strong reference that threads store and take atomically.

import Synchronization

/// Holds at most one object. Taking it transfers ownership, so each retain has one release.
///
/// Assumption: none. `AtomicLazyReference` of the standard library never releases its first object, and a `Mutex`
/// costs twice as much.
struct AtomicReference<Object: AnyObject>: ~Copyable {
    private let held = Atomic<UnsafeRawPointer?>(nil)

    deinit { _ = take() }

    func take() -> Object? {
        held.exchange(nil, ordering: .acquiring).map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
    }

    /// - Returns: whether the object was stored; false if the reference holds one already.
    func put(_ object: Object) -> Bool {
        let kept = Unmanaged.passRetained(object)
        let desired = UnsafeRawPointer(kept.toOpaque())
        if held.compareExchange(expected: nil, desired: desired, ordering: .releasing).exchanged { return true }
        kept.release()
        return false
    }
}
