// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A list of contexts to be notified, which does not retain them.

import CRuntime
import Foundation

/// Contexts that are retained elsewhere.
///
/// A `weak` reference would make all reference counting of the context three times as slow.
final class ContextList: @unchecked Sendable {  // everything is guarded by `lock`
    private let lock = NSLock()
    private var contexts: [UnsafeMutableRawPointer] = []

    var isEmpty: Bool { lock.withLock { contexts.isEmpty } }

    func add(_ context: NSManagedObjectContext) {
        lock.withLock { contexts.append(Unmanaged.passUnretained(context).toOpaque()) }
    }

    /// The context's deinitializer calls it; until then the context's memory is valid.
    func remove(_ context: NSManagedObjectContext) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        lock.withLock { contexts.removeAll { $0 == pointer } }
    }

    /// The contexts that are alive.
    func all() -> [NSManagedObjectContext] {
        lock.withLock {
            contexts.compactMap { pointer in
                guard ocd_try_retain(pointer) != nil else { return nil }
                return Unmanaged<NSManagedObjectContext>.fromOpaque(pointer).takeRetainedValue()
            }
        }
    }
}
