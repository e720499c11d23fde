// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Does not compile: mistake 1 of Guides/GeneratedCode.md.

import CoreData

final class Note: NSManagedObject { @NSManaged var title: String }

func order() -> NSSortDescriptor { NSSortDescriptor(key: #keyPath(Note.title), ascending: true) }
