// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells whether a class has validation of its own, so that the others need not be asked property by property.

import Foundation

/// Finds out once per class whether it overrides `validateValue(_:forKey:)`.
///
/// Calling that method for each property of each object means to box each value (half a microsecond an object). Without
/// Objective-C
/// no runtime tells which methods a class overrides, but its method table does: two classes that differ in nothing but
/// this override
/// show which entry is the method's. Should they not differ in exactly one entry (another runtime, another layout),
/// every class
/// counts as having validation of its own: slower, never wrong.
enum ValidationOverride {
    static func isPresent(in type: NSManagedObject.Type) -> Bool {
        guard type != NSManagedObject.self, let entry else { return type != NSManagedObject.self }
        return methodTable(type)[entry] != methodTable(NSManagedObject.self)[entry]
    }

    private static let entry: Int? = {
        let base = methodTable(NSManagedObject.self)
        let plain = methodTable(PlainProbe.self)
        let overriding = methodTable(OverridingProbe.self)
        let differing = base.indices.filter { base[$0] == plain[$0] && base[$0] != overriding[$0] }
        return differing.count == 1 ? differing[0] : nil
    }()

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

    private final class OverridingProbe: NSManagedObject {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            try super.validateValue(&value, forKey: key)
        }
    }
}
