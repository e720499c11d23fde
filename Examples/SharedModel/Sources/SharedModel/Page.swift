// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A class whose properties are generated into an extension.

import CoreData

#if canImport(ObjectiveC)
    @objc(Page)
#endif
public final class Page: NSManagedObject {
    public var isEmpty: Bool { text?.isEmpty ?? true }
}
