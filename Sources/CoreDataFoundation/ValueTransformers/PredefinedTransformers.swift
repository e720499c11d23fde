// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The transformers that every program has: negation, and whether there is a value.

import Foundation

final class NegateBooleanTransformer: ValueTransformer {
    override static func transformedValueClass() -> AnyClass { NSNumber.self }
    override static func allowsReverseTransformation() -> Bool { true }

    override func transformedValue(_ value: Any?) -> Any? {
        !((value as? NSNumber)?.boolValue ?? false)
    }
}

final class IsNilTransformer: ValueTransformer {
    override static func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { value == nil || value is NSNull }
}

final class IsNotNilTransformer: ValueTransformer {
    override static func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { !(value == nil || value is NSNull) }
}
