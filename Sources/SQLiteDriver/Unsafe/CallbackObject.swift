// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes objects as the context pointers of C functions.

/// An object that SQLite stores as an address, and passes to a callback.
///
/// Assumption: an address is read as the class from which it was made. The caller of `address(of:)` retains the object
/// as long as SQLite has the address; `retained(_:)` retains it until `release(_:)` or `take(_:)`.
enum CallbackObject {
    static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    static func retained(_ object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }

    static func object<Object: AnyObject>(
        at address: UnsafeRawPointer, as type: Object.Type = Object.self
    ) -> Object {
        Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    /// The object of `retained(_:)`, which the caller now owns.
    static func take<Object: AnyObject>(_ address: UnsafeRawPointer, as type: Object.Type = Object.self) -> Object {
        Unmanaged<Object>.fromOpaque(address).takeRetainedValue()
    }

    static func release(_ address: UnsafeRawPointer) { Unmanaged<AnyObject>.fromOpaque(address).release() }
}
