// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes a value of a known type out of an `Any`.

enum ExactCast {
    /// A value that is known to be of this very type. A cast with `as?` from `Any` takes several times as long.
    ///
    /// Assumption: none, as the types are compared before the bits are taken. A value in an `Any` inside of another
    /// one is cast. With `OCD_PORTABLE` each is.
    @inline(__always) static func value<Value>(_ any: Any) -> Value? {
        #if OCD_PORTABLE
            return any as? Value
        #else
            func opened<Held>(_ held: Held) -> Value? {
                Held.self == Value.self ? unsafeBitCast(held, to: Value.self) : held as? Value
            }
            return _openExistential(any, do: opened)
        #endif
    }
}
