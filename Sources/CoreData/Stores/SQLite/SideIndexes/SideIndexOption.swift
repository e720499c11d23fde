// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store option for a kind of indexes.

import Foundation

/// `NSFullTextIndexOption` and `NSValueIndexOption` have the same three meanings.
enum SideIndexOption {
    /// Absent: indexes that are there stay, and are used.
    case unset
    case on
    /// Explicitly false: indexes are removed.
    case off

    init(_ name: String, in options: [AnyHashable: Any]?) {
        guard let value = options?[name], !(value is NSNull) else {
            self = .unset
            return
        }
        self = StoreFlag.isSet(name, in: options) ? .on : .off
    }
}
