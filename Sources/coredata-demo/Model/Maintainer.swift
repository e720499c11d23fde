// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class of the entity `Maintainer`.

import CoreData

/// A person or a team that maintains packages.
final class Maintainer: NSManagedObject {
    var name: String {
        get { value(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
    var address: String? {
        get { value(forKey: "address") as? String }
        set { setValue(newValue, forKey: "address") }
    }
    var packages: Set<Package> { value(forKey: "packages") as? Set<Package> ?? [] }
}
