// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts values to others and back, by registered names.

public import Foundation

/// Converts a value to another one, and optionally back. Subclasses implement the conversion.
///
/// A transformer is registered once by name and used on any thread; a subclass should have no mutable state.
open class ValueTransformer: NSObject {
    public override init() {}

    @_silgen_name("ocd_create_value_transformer")
    convenience init(created: Void) { self.init() }

    /// The class of transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` may be called; true unless overridden.
    open class func allowsReverseTransformation() -> Bool { true }

    /// - Parameter value: nil for a missing value.
    /// - Returns: the value itself unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Reverts `transformedValue(_:)`. The default implementation calls `transformedValue(_:)`.
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

    /// All registered names, including those of the built-in transformers.
    open class func valueTransformerNames() -> [NSValueTransformerName] { TransformerRegistry.shared.names }
}

/// Lets `ValueTransformer(forName:)` return an existing instance: only an initializer in a protocol extension
/// may assign `self`.
public protocol ValueTransformerNaming {}

extension ValueTransformer: ValueTransformerNaming {}

extension ValueTransformer: MetatypeInitializing {
    /// Creates a transformer with the class's own `init()`, or that of the nearest superclass with one.
    ///
    /// This is the symbol of `init(created:)`, a convenience initializer that calls the designated one through the
    /// method table of the given class. So subclasses need no `required` initializer. A class with its own designated
    /// initializer that does not override `init()` has an entry there that traps and names the class.
    @_silgen_name("ocd_create_value_transformer")
    final class func create() -> ValueTransformer
}

extension MetatypeInitializing where Self: ValueTransformer {
    /// The initializer for a class known only at run time.
    @_disfavoredOverload
    public init() {
        let type: ValueTransformer.Type = type(of: self)
        self.init(adopting: type.create())
    }
}

extension ValueTransformerNaming where Self: ValueTransformer {
    /// - Parameter transformer: an instance of this class.
    init(adopting transformer: ValueTransformer) { self = unsafeDowncast(transformer, to: Self.self) }

    /// The transformer with a name: a registered one, or a new instance of the class with that name, which
    /// is then registered.
    ///
    /// nil if there is neither, or if it is not a `Self`. A Swift class is found by its name with
    /// the module, "App.Shorten".
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = TransformerRegistry.shared.transformer(name) as? Self else { return nil }
        self = transformer
    }
}
