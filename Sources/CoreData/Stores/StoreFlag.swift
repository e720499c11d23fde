// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads Boolean store options.

import Foundation

/// A Boolean option in any form: number, Boolean value or text.
package enum StoreFlag {
    package static func isSet(_ key: String, in options: [AnyHashable: Any]?) -> Bool {
        let value = options?[key]
        if let text = value as? String { return (text as NSString).boolValue }
        return value.flatMap { AttributeValues.number($0) }?.boolValue ?? false
    }
}
