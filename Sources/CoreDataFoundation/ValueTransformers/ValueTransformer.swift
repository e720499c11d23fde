// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns values into others and back, by registered names.

public import Foundation

/// Turns one value into another, and back where it allows that. Subclasses say how.
///
/// A transformer is registered once by name and used on any thread; a subclass should keep no state that changes.
open class ValueTransformer: NSObject {
    public override init() {}

    @_silgen_name("ocd_create_value_transformer")
    convenience init(created: Void) { self.init() }

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

extension ValueTransformer: MetatypeInitializing {
    /// Makes a transformer by the initializer `init()` of the class itself, or of the nearest superclass that has one.
    ///
    /// This is `init(created:)` by its symbol: a convenience initializer, which calls the designated one through the method table
    /// of the class that it is given. So subclasses need no `required` initializer. A class with a designated initializer of its own
    /// that does not override `init()` has an entry there which stops the program and names the class.
    @_silgen_name("ocd_create_value_transformer")
    final class func create() -> ValueTransformer
}

extension MetatypeInitializing where Self: ValueTransformer {
    /// The initializer of the class, where the class is known only at run time.
    @_disfavoredOverload
    public init() {
        let type: ValueTransformer.Type = type(of: self)
        self.init(adopting: type.create())
    }
}

extension ValueTransformerNaming where Self: ValueTransformer {
    /// - Parameter transformer: of this class.
    init(adopting transformer: ValueTransformer) { self = unsafeDowncast(transformer, to: Self.self) }

    /// The transformer of a name: a registered one, or else a new and henceforth registered one of the class of that name.
    ///
    /// Nil where there is neither, or it is no `Self`. A Swift class is found by its name with the module, "App.Shorten".
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = TransformerRegistry.shared.transformer(name) as? Self else { return nil }
        self = transformer
    }
}
