// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entity `Maintainer` as a class.

import CoreData

/// Who looks after packages: a person or a team.
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
