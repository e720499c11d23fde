// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference that is read without counting it.

/// A reference to an object that its user does not retain.
///
/// Assumption: somebody else retains the object for as long as the reference is used. Each place that keeps one names
/// the holder.
///
/// Counting a reference up and down takes ten nanoseconds, as much as the work that hot paths do with the object.
/// With `OCD_PORTABLE` an access counts: the same assumption, but the compiler may rely on a reference of its own.
struct Uncounted<Object: AnyObject>: Equatable {
    private let reference: Unmanaged<Object>

    @inline(__always) init(_ object: Object) { reference = .passUnretained(object) }

    /// - Parameter address: the address of an object of this class.
    @inline(__always) init(address: UnsafeRawPointer) { reference = .fromOpaque(address) }

    @inline(__always) var object: Object { reference.takeUnretainedValue() }

    @inline(__always) var address: UnsafeMutableRawPointer { reference.toOpaque() }

    /// Gives the object to the body. The holder must retain it until the body returns.
    @inline(__always) func look<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        #if OCD_PORTABLE
            try body(object)
        #else
            try reference._withUnsafeGuaranteedRef(body)
        #endif
    }

    @inline(__always) static func == (left: Self, right: Self) -> Bool { left.address == right.address }
}

extension RandomAccessCollection where Element: AnyObject {
    /// A loop over the members that counts no references. The list holds the members, and the caller holds the list.
    @inline(__always) func lookAtEach(_ body: (Element) throws -> Void) rethrows {
        for position in indices { try Uncounted(self[position]).look(body) }
    }

    /// Whether a condition holds for all members. Counts no references.
    @inline(__always) func isTrue(of condition: (Element) -> Bool) -> Bool {
        for position in indices where !Uncounted(self[position]).look(condition) { return false }
        return true
    }
}
