// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contexts that somebody has to tell of things, without keeping them.

import CRuntime
import Foundation

/// Contexts that are there as long as somebody else holds them.
///
/// Not Swift's `weak`: with one reference of that kind every count of the context takes three times as long.
final class ContextList: @unchecked Sendable {  // everything is guarded by `lock`
    private let lock = NSLock()
    private var contexts: [UnsafeMutableRawPointer] = []

    var isEmpty: Bool { lock.withLock { contexts.isEmpty } }

    func add(_ context: NSManagedObjectContext) {
        lock.withLock { contexts.append(Unmanaged.passUnretained(context).toOpaque()) }
    }

    /// Called by the context's deinit: until then its memory is there.
    func remove(_ context: NSManagedObjectContext) {
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        lock.withLock { contexts.removeAll { $0 == pointer } }
    }

    /// Those that are alive.
    func all() -> [NSManagedObjectContext] {
        lock.withLock {
            contexts.compactMap { pointer in
                guard ocd_try_retain(pointer) != nil else { return nil }
                return Unmanaged<NSManagedObjectContext>.fromOpaque(pointer).takeRetainedValue()
            }
        }
    }
}
