// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Looking at an object that somebody else holds, without counting a reference to it.

extension Unmanaged {
    /// Gives the object to the body; whoever calls makes sure that somebody holds it until the body returns.
    ///
    /// Counting a reference up and down costs ten nanoseconds, as much as what hot paths do with the object.
    @inline(__always) func look<Result>(_ body: (Instance) throws -> Result) rethrows -> Result {
        try _withUnsafeGuaranteedRef(body)
    }
}

extension RandomAccessCollection where Element: AnyObject {
    /// A loop over the members that counts no references: the list holds them, and whoever calls holds the list.
    @inline(__always) func lookAtEach(_ body: (Element) throws -> Void) rethrows {
        for position in indices { try Unmanaged.passUnretained(self[position]).look(body) }
    }

    /// Whether a condition holds for all of them, told in the same way.
    @inline(__always) func isTrue(of condition: (Element) -> Bool) -> Bool {
        for position in indices where !Unmanaged.passUnretained(self[position]).look(condition) { return false }
        return true
    }
}
