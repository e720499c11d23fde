// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of classes in archives, which have no module on Apple's systems.

import Foundation

/// Called by `CAppleShims` when the program starts: a store with a colour may be read before any code here runs.
/// Only reading is possible: Foundation's archiver on Linux writes the names of Swift, and ignores `setClassName`.
@_cdecl("_OpenCoreDataRegisterShims")
func registerArchivedNames() {
    let classes: [(AnyClass, String)] = [(UIColor.self, "UIColor"), (NSColor.self, "NSColor")]
    for (type, name): (AnyClass, String) in classes {
        NSKeyedUnarchiver.setClass(type, forClassName: name)
    }
}
