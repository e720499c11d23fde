// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds out whether a class overrides a method, so that the method need not be called for each property of others.

import Foundation

/// Finds out which classes override a method of `NSManagedObject`.
///
/// Calling `validateValue` or `value(forKey:)` for each property of each object means to box each value (half a
/// microsecond an object). Without Objective-C no runtime lists the methods that a class overrides, but its method
/// table does: two classes that differ in nothing but this override show which entry is the method's. Should they not
/// differ in exactly one entry (another runtime, another layout), every class counts as having a method of its own:
/// slower, never wrong.
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

    private static func methodTable(_ type: NSManagedObject.Type) -> MethodTable {
        MethodTable(type, of: NSManagedObject.self)
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
