// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns values of one kind into another, and finds who does so by name.

public import Foundation

/// The base of all value transformers. A subclass overrides `transformedValue(_:)` and, if there is a way back,
/// `allowsReverseTransformation()` and `reverseTransformedValue(_:)`; it is registered under a name before it is used.
///
/// For a transformable attribute `transformedValue(_:)` makes the data that is stored, and `reverseTransformedValue(_:)` the
/// value; `NSSecureUnarchiveFromDataTransformer` and its subclasses work the other way round, as on Apple's systems.
open class ValueTransformer: NSObject {
    public override init() {
        super.init()
    }

    /// The class of what `transformedValue(_:)` gives.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether `reverseTransformedValue(_:)` may be called. False unless overridden.
    open class func allowsReverseTransformation() -> Bool { false }

    /// The value in its other form; nil when it has none. Unless overridden, the value itself.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The way back. Traps unless the class allows it.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        precondition(
            Self.allowsReverseTransformation(),
            "\(Self.self) has no way back: override allowsReverseTransformation() and reverseTransformedValue(_:)")
        return transformedValue(value)
    }

    // MARK: Registry

    /// Registers a transformer under a name; nil removes the name. Any thread may call this.
    public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        ValueTransformerRegistry.shared.set(transformer, for: name)
    }

    /// All names under which there is a transformer, the predefined ones included, in no order.
    public class func valueTransformerNames() -> [NSValueTransformerName] {
        ValueTransformerRegistry.shared.names
    }

    /// The transformer registered under a name; nil when there is none.
    package class func registered(_ name: NSValueTransformerName) -> ValueTransformer? {
        ValueTransformerRegistry.shared.transformer(for: name)
    }
}

/// Gives `ValueTransformer` the initializer that finds one: an initializer of a protocol may return an existing object.
public protocol ValueTransformerLookup {}

extension ValueTransformer: ValueTransformerLookup {}

extension ValueTransformerLookup where Self: ValueTransformer {
    /// The transformer registered under a name. Nil when there is none, or it is none of the class that is asked for.
    ///
    /// Apple's systems also look for a class of that name. Here a transformer has to be registered: without Objective-C a class
    /// has no short name to be found by.
    public init?(forName name: NSValueTransformerName) {
        guard let transformer = ValueTransformer.registered(name) as? Self else { return nil }
        self = transformer
    }
}

/// All transformers by name.
private final class ValueTransformerRegistry: @unchecked Sendable {
    static let shared = ValueTransformerRegistry()

    /// Guards `transformers`.
    private let lock = NSLock()
    private var transformers: [NSValueTransformerName: ValueTransformer] = [
        .negateBooleanTransformerName: NegateBooleanTransformer(),
        .isNilTransformerName: IsNilTransformer(),
        .isNotNilTransformerName: IsNotNilTransformer(),
        .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ]

    var names: [NSValueTransformerName] {
        lock.withLock { Array(transformers.keys) }
    }

    func set(_ transformer: ValueTransformer?, for name: NSValueTransformerName) {
        lock.withLock { transformers[name] = transformer }
    }

    func transformer(for name: NSValueTransformerName) -> ValueTransformer? {
        lock.withLock { transformers[name] }
    }
}
