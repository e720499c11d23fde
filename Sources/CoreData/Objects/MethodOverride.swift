// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells whether a class has a method of its own, so that the others need not be asked property by property.

import Foundation

/// Finds out which classes override a method of `NSManagedObject`.
///
/// Calling `validateValue` or `value(forKey:)` for each property of each object means to box each value (half a
/// microsecond an object). Without Objective-C no runtime tells which methods a class overrides, but its method table
/// does: two classes that differ in nothing but this override show which entry is the method's. Should they not differ
/// in exactly one entry (another runtime, another layout), every class counts as having a method of its own: slower,
/// never wrong.
struct MethodOverride {
    static let validateValue = MethodOverride(shownBy: ValidatingProbe.self)
    static let valueForKey = MethodOverride(shownBy: CodingProbe.self)

    private let entry: Int?

    /// - Parameter probe: a class that overrides the method and nothing else.
    private init(shownBy probe: NSManagedObject.Type) {
        let base = Self.methodTable(NSManagedObject.self)
        let plain = Self.methodTable(PlainProbe.self)
        let overriding = Self.methodTable(probe)
        let differing = base.indices.filter { base[$0] == plain[$0] && base[$0] != overriding[$0] }
        entry = differing.count == 1 ? differing[0] : nil
    }

    func isPresent(in type: NSManagedObject.Type) -> Bool {
        guard type != NSManagedObject.self, let entry else { return type != NSManagedObject.self }
        return Self.methodTable(type)[entry] != Self.methodTable(NSManagedObject.self)[entry]
    }

    /// The words of a class's metadata that hold its methods: those that all subclasses of the base have at the same
    /// places.
    private static func methodTable(_ type: NSManagedObject.Type) -> UnsafeBufferPointer<UInt> {
        let words = unsafeBitCast(NSManagedObject.self as AnyObject.Type, to: UnsafePointer<UInt>.self)
        // Word 4: the size of the metadata in bytes, and where in it the pointer points.
        let size = Int(words[4] & 0xffff_ffff) - Int(words[4] >> 32)
        guard MemoryLayout<UInt>.size == 8, (64..<65_536).contains(size) else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        let own = unsafeBitCast(type as AnyObject.Type, to: UnsafePointer<UInt>.self)
        return UnsafeBufferPointer(start: own + 7, count: size / 8 - 7)
    }

    private final class PlainProbe: NSManagedObject {}

    private final class ValidatingProbe: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            try super.validateValue(&value, forKey: key)
        }
    }

    private final class CodingProbe: NSManagedObject {
        override func value(forKey key: String) -> Any? { super.value(forKey: key) }
    }
}
