// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A list of contexts to be notified, which does not retain them.

import Foundation
import Synchronization

/// A list of contexts that are retained elsewhere.
///
/// Not `weak`: a weak reference would make all reference counting of the context three times as slow.
final class ContextList: @unchecked Sendable {  // everything is guarded by `lock`
    private let lock = NSLock()
    private var contexts: [WeakWord<NSManagedObjectContext>] = []
    /// Called with a context that ends; nil unless a test observes it.
    let endObserver = Mutex<(@Sendable (EndedContext) -> Void)?>(nil)

    var isEmpty: Bool { lock.withLock { contexts.isEmpty } }

    func add(_ context: NSManagedObjectContext) {
        lock.withLock { contexts.append(WeakWord(context)) }
    }

    /// Called by the context's deinitializer; until then the context's memory is valid.
    func remove(_ context: NSManagedObjectContext) {
        lock.withLock { contexts.removeAll { $0.isOf(context) } }
    }

    /// The contexts that are alive.
    func all() -> [NSManagedObjectContext] {
        lock.withLock { contexts.compactMap(\.object) }
    }
}
