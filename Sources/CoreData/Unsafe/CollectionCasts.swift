// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Casts collections of objects to collections of a subclass, in constant time.

/// Casts collections after the caller has checked their members.
///
/// Assumption: arrays and sets of native classes are one reference to a table of references, and the table does not
/// depend on the class of its elements. Sets hash their members by the same function, because the subclasses inherit
/// `hash`. `areAsExpected` checks this once. If it is false, and with `OCD_PORTABLE`, each member is cast, and a set is
/// filled anew.
package enum CollectionCasts {
    /// - Parameter objects: all of the class `Member`.
    @inline(__always) package static func array<Object: AnyObject, Member>(_ objects: [Object]) -> [Member] {
        if areAsExpected { return unsafeBitCast(objects, to: [Member].self) }
        return objects.compactMap { $0 as? Member }
    }

    /// - Parameter objects: all of the class `Member`.
    @inline(__always) static func set<Object: AnyObject & Hashable, Member: AnyObject & Hashable>(
        _ objects: Set<Object>
    ) -> Set<Member> {
        if areAsExpected { return unsafeBitCast(objects, to: Set<Member>.self) }
        return Set(objects.lazy.compactMap { $0 as? Member })
    }

    static let areAsExpected: Bool = {
        #if OCD_PORTABLE
            return false
        #else
            guard MemoryLayout<[Base]>.size == MemoryLayout<[Derived]>.size,
                MemoryLayout<Set<Base>>.size == MemoryLayout<Set<Derived>>.size
            else { return false }
            let samples = (0..<9).map { _ in Derived() }
            let bases = samples.map { $0 as Base }
            let array = unsafeBitCast(bases, to: [Derived].self)
            let set = unsafeBitCast(Set(bases), to: Set<Derived>.self)
            return array.count == 9 && zip(array, samples).allSatisfy { $0 === $1 } && set.count == 9
                && samples.allSatisfy(set.contains) && !set.contains(Derived()) && Set(set) == Set(samples)
        #endif
    }()

    private class Base: Hashable {
        static func == (left: Base, right: Base) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private final class Derived: Base {}
}
