// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves a custom atomic store: updates its nodes, then calls its `save()`.

import Foundation

/// # Order. Stores-A9
/// 1. `willRemoveCacheNodes` for deleted objects, while their nodes still exist.
/// 2. `newCacheNode(for:)` for each insertion, in the order of keys; the nodes are added.
/// 3. `updateCacheNode(_:from:)` for insertions and updates; all nodes that they may refer to exist. Nodes of
///    recomputed rows receive their derived attributes, even if their objects are unchanged.
/// 4. `save()`. If it throws, the nodes return to their previous state.
final class NodeSave: PreparedSave {
    private let store: NSAtomicStore
    private let request: NSSaveChangesRequest
    private let recomputed: [FetchedRow]
    private let unsaved: MetadataValues.Unsaved?
    private var before: [Int: [Int64: NSAtomicStoreCacheNode]] = [:]
    private var values: [(node: NSAtomicStoreCacheNode, values: NSMutableDictionary?)] = []
    private var hasBegun = false

    init(
        _ store: NSAtomicStore, _ request: NSSaveChangesRequest, _ recomputed: [FetchedRow],
        _ unsaved: MetadataValues.Unsaved?
    ) {
        self.store = store
        self.recomputed = recomputed
        self.request = request
        self.unsaved = unsaved
    }

    func commit() throws {
        hasBegun = true
        before = store.nodes.all
        let inserted = sorted(request.insertedObjects)
        let updated = sorted(request.updatedObjects)
        remove(sorted(request.deletedObjects))
        for object in inserted {
            let node = store.newCacheNode(for: object)
            precondition(
                node.objectID == object.objectID,
                "newCacheNode(for:) gave a node for \(node.objectID) where it was asked for one of \(object.objectID).")
            store.addCacheNodes([node])
        }
        for object in updated + inserted {
            guard let node = store.nodes[object.objectID] else { continue }
            remember(node)
            store.updateCacheNode(node, from: object)
        }
        for row in recomputed { derive(row) }
        try store.save()
        if let unsaved { store.metadataValues.didSave(unsaved) }
    }

    func rollback() {
        guard hasBegun else { return }
        for (node, values) in values.reversed() { node.propertyCache = values }
        store.nodes.all = before
    }

    private func remember(_ node: NSAtomicStoreCacheNode) {
        values.append((node, node.propertyCache?.mutableCopy() as? NSMutableDictionary))
    }

    private func derive(_ row: FetchedRow) {
        let layout = row.snapshot.layout
        guard let node = store.nodes.all[layout.rootIndex]?[row.key] else { return }
        remember(node)
        for slot in layout.attributeSlots where layout[slot].isDerived {
            node.setValue(row.snapshot.value(slot), forKey: layout.properties[slot].name)
        }
    }

    private func remove(_ objects: [NSManagedObject]) {
        let nodes = Set(objects.compactMap { store.nodes[$0.objectID] })
        guard !nodes.isEmpty else { return }
        store.willRemoveCacheNodes(nodes)
        for node in nodes { store.nodes.remove(node.objectID) }
    }

    private func sorted(_ objects: Set<NSManagedObject>?) -> [NSManagedObject] {
        (objects ?? []).sorted { $0.objectID.key < $1.objectID.key }
    }
}
