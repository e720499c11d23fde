// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Does not compile: mistake 2 of Guides/GeneratedCode.md.

import CoreData

@objc(Note) final class Note: NSManagedObject { @NSManaged var title: String }
