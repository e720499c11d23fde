// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Does not compile: mistake 3 of Guides/GeneratedCode.md.

import CoreData

final class Listener {
    init() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(saved), name: .NSManagedObjectContextDidSave, object: nil)
    }

    func saved(_ notification: Notification) {}
}
