// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives the key string that a typed key path stands for.

import Synchronization

/// Without Objective-C a key path does not know its properties' names. Whoever can find them out, as the module that knows
/// the models, says so here.
package enum KeyPathNames {
    private static let resolvers = Mutex<[@Sendable (AnyKeyPath) -> String?]>([])

    /// - Parameter resolve: is called on any thread; gives "department.name", or nil for a key path it does not know.
    package static func addResolver(_ resolve: @escaping @Sendable (AnyKeyPath) -> String?) {
        resolvers.withLock { $0.append(resolve) }
    }

    package static func name(of keyPath: AnyKeyPath) -> String? {
        // Called outside of the lock: reading a key path runs the user's accessors.
        for resolve in resolvers.withLock({ $0 }) {
            if let name = resolve(keyPath) { return name }
        }
        return nil
    }
}
