// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value of an attribute as the key of a set or a dictionary.

import Foundation

package enum ValueKey {
    /// The same for values that databases take for equal: texts differ by their bytes, composed from decomposed ones,
    /// too. nil for nil, and for a value that cannot be hashed.
    ///
    /// A decimal goes without its box: `NSDecimalNumber.hash` of Foundation on Linux calls itself until the stack ends.
    package static func of(_ value: Any?) -> AnyHashable? {
        switch value {
        case let text as String: Array(text.utf8)
        case let number as NSDecimalNumber: number.decimalValue
        default: value as? AnyHashable
        }
    }
}
