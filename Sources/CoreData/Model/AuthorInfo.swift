// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The user info of a description, which may change while coordinators use the model.

import Foundation

/// The entries that a model's author keeps with an entity or a property. Nothing depends on them.
final class AuthorInfo: @unchecked Sendable {  // `entries` is guarded by `lock`
    private let lock = NSLock()
    private var entries: [AnyHashable: Any]? = [:]

    /// The entries; nil after nil was set.
    var value: [AnyHashable: Any]? {
        get { lock.withLock { entries } }
        set { lock.withLock { entries = newValue } }
    }
}
