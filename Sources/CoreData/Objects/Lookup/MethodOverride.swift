// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects whether a class overrides a method, so that the method need not be called for each property otherwise.

import Foundation

/// Finds out which classes override a method of a base class.
///
/// Calling `validateValue` or `value(forKey:)` for each property of each object would box each value (half a
/// microsecond per object). Without Objective-C no runtime lists the methods that a class overrides, but its method
/// table does: comparing two classes that differ only in this override shows which entry is the method's. If they do
/// not differ in exactly one entry (another runtime, another layout), every class counts as overriding the method:
/// slower, never wrong.
struct MethodOverride {
    static let validateValue = MethodOverride(
        of: NSManagedObject.self, shownBy: ValidatingProbe.self, notBy: PlainProbe.self)
    static let valueForKey = MethodOverride(
        of: NSManagedObject.self, shownBy: CodingProbe.self, notBy: PlainProbe.self)

    private let base: AnyClass
    private let entry: Int?

    /// - Parameters:
    ///   - base: the class that declares the method.
    ///   - probe: a subclass that overrides the method and nothing else.
    ///   - plain: a subclass that overrides nothing.
    init(of base: AnyClass, shownBy probe: AnyClass, notBy plain: AnyClass) {
        self.base = base
        let table = MethodTable(base, of: base)
        let plain = MethodTable(plain, of: base)
        let overriding = MethodTable(probe, of: base)
        let differing = table.indices.filter { table[$0] == plain[$0] && table[$0] != overriding[$0] }
        entry = differing.count == 1 ? differing[0] : nil
    }

    /// Whether a class, which may be the base class itself, overrides the method.
    func isPresent(in type: AnyClass) -> Bool {
        guard type != base, let entry else { return type != base }
        return MethodTable(type, of: base)[entry] != MethodTable(base, of: base)[entry]
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
