// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns values into others and back, by registered names.

public import Foundation

/// Turns one value into another, and back where it allows that. Subclasses say how.
///
/// A transformer is registered once by name and used on any thread; a subclass should keep no state that changes.
open class ValueTransformer: NSObject {
    public required override init() {}

    /// The class of transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` may be called; true unless a subclass says otherwise.
    open class func allowsReverseTransformation() -> Bool { true }

    /// - Parameter value: nil for a missing value.
    /// - Returns: the value itself unless a subclass says otherwise.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Undoes `transformedValue(_:)`; the same calculation unless a subclass says otherwise.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        guard type(of: self).allowsReverseTransformation() else {
            preconditionFailure(
                "\(type(of: self)) allows no reverse transformation; ask allowsReverseTransformation() first")
        }
        return transformedValue(value)
    }

    /// Registers a transformer for `ValueTransformer(forName:)`; nil removes the name.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        TransformerRegistry.shared.set(transformer, name)
    }

    /// All registered names, those of the built-in transformers included.
    open class func valueTransformerNames() -> [NSValueTransformerName] { TransformerRegistry.shared.names }
}

/// Lets `ValueTransformer(forName:)` give an instance that exists: only an initializer in an extension of a protocol may
/// assign `self`.
public protocol ValueTransformerNaming {}

extension ValueTransformer: ValueTransformerNaming {}

extension ValueTransformerNaming where Self: ValueTransformer {
    /// The transformer of a name: a registered one, or else a new and henceforth registered one of the class of that name.
    ///
    /// Nil where there is neither, or it is no `Self`. A Swift class is found by its name with the module, "App.Shorten".
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = TransformerRegistry.shared.transformer(name) as? Self else { return nil }
        self = transformer
    }
}
