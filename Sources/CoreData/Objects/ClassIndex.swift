// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds managed object classes by a name without a module, in all modules of the process.

import CRuntime
import Foundation
import Synchronization

/// The classes of all loaded images by name.
///
/// Apple's runtime finds a class by its Objective-C name, which has no module. Swift's finds one only with its module, so the names are read
/// from the type records of the images. That is done once, and again when an image was loaded since.
enum ClassIndex {
    private struct Entry: Sendable {
        let isTopLevel: Bool
        let descriptor: UInt
    }

    private struct State {
        var imageCount = 0
        var entries: [String: [Entry]] = [:]
    }

    private static let state = Mutex(State())

    /// The managed object classes of a name: those at the top level of a module, or else all others.
    ///
    /// - Parameter name: without a module.
    static func classes(named name: String) -> [NSManagedObject.Type] {
        let found = entries(name).compactMap { entry in
            UnsafeRawPointer(bitPattern: entry.descriptor).flatMap(managedClass).map { (entry.isTopLevel, $0) }
        }
        let topLevel = found.filter { $0.0 }
        return (topLevel.isEmpty ? found : topLevel).map { $0.1 }
    }

    private static func managedClass(_ descriptor: UnsafeRawPointer) -> NSManagedObject.Type? {
        guard let metadata = ocd_class_of(descriptor) else { return nil }
        return unsafeBitCast(metadata, to: Any.Type.self) as? NSManagedObject.Type
    }

    private static func entries(_ name: String) -> [Entry] {
        state.withLock { state in
            let count = ocd_image_count()
            if count != state.imageCount {
                state.entries = readEntries()
                state.imageCount = count
            }
            return state.entries[name] ?? []
        }
    }

    private static func readEntries() -> [String: [Entry]] {
        var entries: [String: [Entry]] = [:]
        withUnsafeMutablePointer(to: &entries) { entries in
            ocd_each_class(
                { name, isTopLevel, descriptor, entries in
                    let entry = Entry(isTopLevel: isTopLevel, descriptor: UInt(bitPattern: descriptor))
                    entries?.assumingMemoryBound(to: [String: [Entry]].self)
                        .pointee[String(cString: name), default: []].append(entry)
                }, entries)
        }
        return entries
    }
}
