// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The nodes of a custom atomic store, by id.

import Foundation

final class NodeTable: @unchecked Sendable {  // `nodes` is guarded by `lock`
    private let lock = NSLock()
    private var nodes: [Int: [Int64: NSAtomicStoreCacheNode]] = [:]

    /// By root entity and key.
    var all: [Int: [Int64: NSAtomicStoreCacheNode]] {
        get { lock.withLock { nodes } }
        set { lock.withLock { nodes = newValue } }
    }

    subscript(id: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        lock.withLock { nodes[id.layout.rootIndex]?[id.key] }
    }

    func add(_ added: some Sequence<NSAtomicStoreCacheNode>) {
        lock.withLock {
            for node in added { nodes[node.objectID.layout.rootIndex, default: [:]][node.objectID.key] = node }
        }
    }

    func remove(_ id: NSManagedObjectID) { lock.withLock { nodes[id.layout.rootIndex]?[id.key] = nil } }
}
