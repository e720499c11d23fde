// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference that is read without retaining the object.

/// A reference to an object that its user does not retain.
///
/// Assumption: another reference retains the object for as long as this one is used. Each place that stores one names
/// that other reference.
///
/// Retaining and releasing takes ten nanoseconds, as much as the work that hot paths do with the object. With
/// `OCD_PORTABLE` an access retains the object: the same assumption, but the compiler uses a strong reference.
struct Uncounted<Object: AnyObject>: Equatable {
    private let reference: Unmanaged<Object>

    @inline(__always) init(_ object: Object) { reference = .passUnretained(object) }

    /// - Parameter address: the address of an object of this class.
    @inline(__always) init(address: UnsafeRawPointer) { reference = .fromOpaque(address) }

    @inline(__always) var object: Object { reference.takeUnretainedValue() }

    @inline(__always) var address: UnsafeMutableRawPointer { reference.toOpaque() }

    /// Passes the object to the body. It must be retained elsewhere until the body returns.
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
    /// A loop over the members without reference counting. The list retains the members, and the caller retains the
    /// list.
    @inline(__always) func lookAtEach(_ body: (Element) throws -> Void) rethrows {
        for position in indices { try Uncounted(self[position]).look(body) }
    }

    /// Whether a condition holds for all members. Does no reference counting.
    @inline(__always) func isTrue(of condition: (Element) -> Bool) -> Bool {
        for position in indices where !Uncounted(self[position]).look(condition) { return false }
        return true
    }
}
