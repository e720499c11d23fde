// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A strong reference that can be read without retaining the object.

/// Retains an object, or nothing. It cannot be copied, so each retain has one release: at the next assignment, or in
/// the deinitializer.
///
/// Assumption: none. A strong property has the same meaning, but each access to a property of a class retains the
/// object.
struct Counted<Object: AnyObject>: ~Copyable {
    private var held: Unmanaged<Object>?

    @inline(__always) init(_ object: Object?) { held = object.map { .passRetained($0) } }

    /// - Parameter object: retained by the caller during the call.
    @inline(__always) init(_ object: Uncounted<Object>?) {
        held = object.map { Unmanaged<Object>.fromOpaque($0.address).retain() }
    }

    @inline(__always) deinit { held?.release() }

    /// Valid until this reference is assigned.
    @inline(__always) var uncounted: Uncounted<Object>? { held.map { Uncounted(address: $0.toOpaque()) } }

    @inline(__always) var object: Object? {
        get { held?.takeUnretainedValue() }
        set {
            let old = held
            held = newValue.map { .passRetained($0) }
            old?.release()
        }
    }

    /// Retains the new object before the old one is released.
    @inline(__always) mutating func set(_ object: Uncounted<Object>?) {
        let old = held
        held = object.map { Unmanaged<Object>.fromOpaque($0.address).retain() }
        old?.release()
    }

    /// Whether the object has no other strong reference.
    @inline(__always) mutating func isUnshared() -> Bool {
        #if OCD_PORTABLE
            guard let reference = held else { return false }
            var object = reference.takeRetainedValue()
            held = nil
            defer { held = .passRetained(object) }
            return isKnownUniquelyReferenced(&object)
        #else
            guard held != nil else { return false }
            // A strong reference is one word, like an `Unmanaged`.
            return withUnsafeMutablePointer(to: &held) { held in
                held.withMemoryRebound(to: Object?.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
            }
        #endif
    }

    /// Returns the reference without releasing it, and becomes empty. `NestedReleases` releases it.
    mutating func giveUp() -> Unmanaged<Object>? {
        defer { held = nil }
        return held
    }
}
