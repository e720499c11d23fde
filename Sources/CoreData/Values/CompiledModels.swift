// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Freezes a model and compiles its layouts, once for all coordinators that use it.

import Foundation

extension NSManagedObjectModel {
    /// The compiled layouts. Freezes the model at the first call.
    ///
    /// - Throws: all faults of an unusable model.
    func compiledLayout() throws -> ModelLayout {
        if let layout = CompiledModels.layout(of: self) { return layout }
        try check()
        freeze()
        return CompiledModels.compile(self)
    }
}

/// Layouts of the models in use, and the entities of classes in them.
enum CompiledModels {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var entries: [Entry] = []  // guarded by `lock`

    private struct Entry {
        weak var model: NSManagedObjectModel?
        let layout: ModelLayout
    }

    static func layout(of model: NSManagedObjectModel) -> ModelLayout? {
        lock.withLock { entries.first { $0.model === model }?.layout }
    }

    static func compile(_ model: NSManagedObjectModel) -> ModelLayout {
        lock.withLock {
            entries.removeAll { $0.model == nil }
            if let known = entries.first(where: { $0.model === model }) { return known.layout }
            let layout = ModelLayout(entities: model.entities)
            entries.append(Entry(model: model, layout: layout))
            return layout
        }
    }

    /// The entities of all models in use that meet a condition; of each model the first.
    static func entities(where condition: (NSEntityDescription) -> Bool) -> [NSEntityDescription] {
        lock.withLock {
            entries.filter { $0.model != nil }.compactMap { entry in
                entry.layout.layouts.first { condition($0.entity) }?.entity
            }
        }
    }
}
