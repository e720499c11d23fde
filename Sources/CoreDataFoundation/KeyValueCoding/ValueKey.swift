// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value of an attribute as the key of a set or a dictionary.

import Foundation

package enum ValueKey {
    /// The key under which values are equal if databases consider them equal: texts are compared by their bytes, so
    /// composed and decomposed ones differ. nil for nil, and for a value that cannot be hashed.
    ///
    /// A decimal is unboxed: `NSDecimalNumber.hash` of Foundation on Linux recurses until the stack overflows.
    package static func of(_ value: Any?) -> AnyHashable? {
        switch value {
        case let text as String: TextKey(bytes: Array(text.utf8))
        case let number as NSDecimalNumber: number.decimalValue
        default: value as? AnyHashable
        }
    }
}

/// A text by its bytes. An array as a key would be hashed and compared element by element, each one boxed.
private struct TextKey: Hashable {
    let bytes: [UInt8]
}
