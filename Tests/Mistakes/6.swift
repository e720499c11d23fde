// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles with a warning: mistake 6 of Guides/GeneratedCode.md.

import CoreData

func container() -> NSPersistentContainer { NSPersistentCloudKitContainer(name: "Notes") }
