// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles with a warning: mistake 5 of Guides/GeneratedCode.md.

import CoreData

func rename(_ note: NSManagedObject, in container: NSPersistentContainer) async {
    await container.performBackgroundTask { _ in note.setValue("Groceries", forKey: "title") }
}
