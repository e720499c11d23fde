// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A transformer for values of Swift's Codable types, an addition to Apple's transformers.

import Foundation

/// Converts values of one `Codable` type to JSON and back.
///
/// Register it with the transformer name of the attribute in the model, before a store with such an attribute is used:
///
///     CodableTransformer<Route>.register(name: "RouteTransformer")
///
/// The data is UTF-8 JSON with sorted keys, so equal values have equal data; dates are seconds since 2001 as `Double`s,
/// data is base64. Keep the type decodable: data that cannot be decoded reads as nil, and stays in the store until the
/// attribute is set.
///
/// A change inside of an object is not detected, as with all transformable attributes: set the attribute again. Values
/// that are `Hashable` are compared to detect changes; others always count as changed when set.
open class CodableTransformer<Value: Codable>: ValueTransformer {
    open override class func transformedValueClass() -> AnyClass { NSData.self }
    open override class func allowsReverseTransformation() -> Bool { true }

    /// Registers the transformer with a name. Thread-safe.
    public static func register(name: NSValueTransformerName) {
        setValueTransformer(CodableTransformer<Value>(), forName: name)
    }

    /// `register(name:)` for a name in a string.
    public static func register(name: String) { register(name: NSValueTransformerName(name)) }

    /// - Returns: `Data`; nil for nil, for a value of another type, and for a value that JSON cannot represent,
    ///   such as NaN.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let value = presentValue(value) as? Value else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(value)
    }

    /// - Returns: a `Value`; nil for nil, and for data that cannot be decoded.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = presentValue(value) as? Data else { return nil }
        return try? JSONDecoder().decode(Value.self, from: data)
    }
}
