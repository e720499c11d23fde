// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference for evaluation that is read without a retain.

/// A reference to an object that its user does not retain. Like `Uncounted` of CoreData, because inlined code does not
/// cross modules.
///
/// Assumption: the owner retains the object for as long as the reference is used. With `OCD_PORTABLE` an access
/// counts.
struct UncountedReference<Object: AnyObject> {
    private let reference: Unmanaged<Object>

    @inline(__always) init(_ object: Object) { reference = .passUnretained(object) }

    /// - Parameter address: the address of an object of this class.
    @inline(__always) init(address: UnsafeRawPointer) { reference = .fromOpaque(address) }

    @inline(__always) var object: Object { reference.takeUnretainedValue() }

    @inline(__always) var address: UnsafeMutableRawPointer { reference.toOpaque() }

    /// Passes the object to the body. The holder must retain it until the body returns.
    @inline(__always) func look<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        #if OCD_PORTABLE
            try body(object)
        #else
            try reference._withUnsafeGuaranteedRef(body)
        #endif
    }
}
