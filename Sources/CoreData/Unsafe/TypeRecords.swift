// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The classes in the images of the process.

import CRuntime

/// Reads the type records of loaded images (`CRuntime/ClassIndex.c`).
///
/// Assumption: the form of the records, which is part of Swift's ABI (TypeMetadata.rst), and the function of the
/// runtime that lists the images. If the runtime has no such function there are no records, and a class is found only
/// by its name with the module. `OCD_PORTABLE` does not change this: without it a model could not name a class without
/// its module.
enum TypeRecords {
    struct Class: Sendable {
        let isTopLevel: Bool
        private let descriptor: UInt

        fileprivate init(isTopLevel: Bool, descriptor: UnsafeRawPointer) {
            self.isTopLevel = isTopLevel
            self.descriptor = UInt(bitPattern: descriptor)
        }

        var type: Any.Type? {
            guard let pointer = UnsafeRawPointer(bitPattern: descriptor), let metadata = ocd_class_of(pointer) else {
                return nil
            }
            return unsafeBitCast(metadata, to: Any.Type.self)
        }
    }

    /// Changes when an image is loaded.
    static var imageCount: Int { ocd_image_count() }

    /// All classes that are not generic, by their names without a module.
    static func classes() -> [String: [Class]] {
        var classes: [String: [Class]] = [:]
        withUnsafeMutablePointer(to: &classes) { classes in
            ocd_each_class(
                { name, isTopLevel, descriptor, classes in
                    let found = Class(isTopLevel: isTopLevel, descriptor: descriptor)
                    classes?.assumingMemoryBound(to: [String: [Class]].self)
                        .pointee[String(cString: name), default: []].append(found)
                }, classes)
        }
        return classes
    }
}
