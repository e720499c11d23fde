// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An atomic store as users write it: a property list with a dictionary for each note.

import CoreData
import Foundation

/// Notes have a title, a parent and keywords; a file is an array of them.
final class NotebookStore: NSAtomicStore {
    static let storeType = "Notebook"
    nonisolated(unsafe) static var refusesToSave = false
    nonisolated(unsafe) static var removed: [String] = []

    override var type: String { Self.storeType }

    private var file: [[String: Any]] {
        get throws {
            guard let url, FileManager.default.fileExists(atPath: url.path) else { return [] }
            let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
            guard let notes = list as? [[String: Any]] else { throw CocoaError(.fileReadCorruptFile) }
            return notes
        }
    }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: "6F0E5C2A-0000-4000-8000-000000000000"]
    }

    override func load() throws {
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName["Note"] else { return }
        let notes = try file
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for note in notes {
            guard let name = note["id"] as? String else { throw CocoaError(.fileReadCorruptFile) }
            let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: name))
            node.setValue(note["title"], forKey: "title")
            nodes[name] = node
        }
        for note in notes {
            guard let name = note["id"] as? String, let parent = note["parent"] as? String else { continue }
            nodes[name]?.setValue(nodes[parent], forKey: "parent")
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        if Self.refusesToSave { throw CocoaError(.fileWriteUnknown) }
        guard let url else { return }
        let notes = cacheNodes().map { node -> [String: Any] in
            var note: [String: Any] = ["id": referenceObject(for: node.objectID)]
            note["title"] = node.value(forKey: "title")
            if let parent = node.value(forKey: "parent") as? NSAtomicStoreCacheNode {
                note["parent"] = referenceObject(for: parent.objectID)
            }
            return note
        }
        try PropertyListSerialization.data(fromPropertyList: notes, format: .xml, options: 0).write(to: url)
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        Self.removed += cacheNodes.compactMap { $0.value(forKey: "title") as? String }
    }
}
