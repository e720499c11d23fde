// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A class with generated properties in an extension.

import CoreData

#if canImport(ObjectiveC)
    @objc(Page)
#endif
public final class Page: NSManagedObject {
    public var isEmpty: Bool { text?.isEmpty ?? true }
}
