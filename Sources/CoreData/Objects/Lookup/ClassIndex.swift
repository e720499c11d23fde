// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds managed object classes by a name without a module, in all modules of the process.

import Foundation
import Synchronization

/// The classes of all loaded images by name.
///
/// Apple's runtime finds a class by its Objective-C name, which has no module. Swift's runtime needs the module, so the
/// names are read from the type records of the images, once, and again after another image was loaded.
enum ClassIndex {
    private struct State {
        var imageCount = 0
        var entries: [String: [TypeRecords.Class]] = [:]
    }

    private static let state = Mutex(State())

    /// The managed object classes with a name: those at the top level of a module, or else all others.
    ///
    /// - Parameter name: without a module.
    static func classes(named name: String) -> [NSManagedObject.Type] {
        let found = entries(name).compactMap { entry in
            (entry.type as? NSManagedObject.Type).map { (entry.isTopLevel, $0) }
        }
        let topLevel = found.filter { $0.0 }
        return (topLevel.isEmpty ? found : topLevel).map { $0.1 }
    }

    private static func entries(_ name: String) -> [TypeRecords.Class] {
        state.withLock { state in
            let count = TypeRecords.imageCount
            if count != state.imageCount {
                state.entries = TypeRecords.classes()
                state.imageCount = count
            }
            return state.entries[name] ?? []
        }
    }
}
