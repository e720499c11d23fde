// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stores values of Swift's Codable types. Ours, beside Apple's transformers.

import Foundation

/// Turns values of one `Codable` type into JSON, and back.
///
/// Register it under the name that the model has for the attribute's transformer, before a store with such an attribute
/// is used:
///
///     CodableTransformer<Route>.register(name: "RouteTransformer")
///
/// The bytes are UTF-8 JSON with sorted keys, so that equal values have equal bytes; dates are seconds since 2001 as
/// `Double`s, data is base64. Keep the type readable: bytes that it cannot be decoded from read as nil, and stay in the
/// store as they are until the attribute is set.
///
/// A change inside a value of a class is not noticed, as with all transformable attributes: set the attribute anew. A
/// structure has to be set anew in any case. Values that are `Hashable` are compared when changes are looked for; others
/// always count as changed when they are set.
open class CodableTransformer<Value: Codable>: ValueTransformer {
    open override class func transformedValueClass() -> AnyClass { NSData.self }
    open override class func allowsReverseTransformation() -> Bool { true }

    /// Makes the transformer known under a name; any thread.
    public static func register(name: NSValueTransformerName) {
        setValueTransformer(CodableTransformer<Value>(), forName: name)
    }

    /// `register(name:)` for a name in a string.
    public static func register(name: String) { register(name: NSValueTransformerName(name)) }

    /// - Returns: `Data`; nil for nil, for a value of another type, and for one that cannot be written as JSON, such as
    ///   a number that is none.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let value = presentValue(value) as? Value else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(value)
    }

    /// - Returns: a `Value`; nil for nil, and for data that holds none.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = presentValue(value) as? Data else { return nil }
        return try? JSONDecoder().decode(Value.self, from: data)
    }
}
