// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class of the entity `Section`.

import CoreData

/// A section of the archive, such as "editors".
final class Section: NSManagedObject {
    var name: String {
        get { value(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
    var packages: Set<Package> { value(forKey: "packages") as? Set<Package> ?? [] }
}
