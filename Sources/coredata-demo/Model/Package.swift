// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class of the entity `Package`.

import CoreData

/// An installed package.
final class Package: NSManagedObject {
    var name: String {
        get { value(forKey: "name") as? String ?? "" }
        set { setValue(newValue, forKey: "name") }
    }
    var version: String? {
        get { value(forKey: "version") as? String }
        set { setValue(newValue, forKey: "version") }
    }
    var architecture: String? {
        get { value(forKey: "architecture") as? String }
        set { setValue(newValue, forKey: "architecture") }
    }
    var summary: String? {
        get { value(forKey: "summary") as? String }
        set { setValue(newValue, forKey: "summary") }
    }
    var homepage: URL? {
        get { value(forKey: "homepage") as? URL }
        set { setValue(newValue, forKey: "homepage") }
    }
    var note: String? {
        get { value(forKey: "note") as? String }
        set { setValue(newValue, forKey: "note") }
    }
    /// In kibibytes.
    var installedSize: Int {
        get { value(forKey: "installedSize") as? Int ?? 0 }
        set { setValue(newValue, forKey: "installedSize") }
    }
    var isEssential: Bool {
        get { value(forKey: "isEssential") as? Bool ?? false }
        set { setValue(newValue, forKey: "isEssential") }
    }
    var imported: Date? {
        get { value(forKey: "imported") as? Date }
        set { setValue(newValue, forKey: "imported") }
    }
    var section: Section? {
        get { value(forKey: "section") as? Section }
        set { setValue(newValue, forKey: "section") }
    }
    var maintainer: Maintainer? {
        get { value(forKey: "maintainer") as? Maintainer }
        set { setValue(newValue, forKey: "maintainer") }
    }
    /// The packages that this one depends on.
    var dependencies: Set<Package> {
        get { value(forKey: "dependencies") as? Set<Package> ?? [] }
        set { setValue(newValue as NSSet, forKey: "dependencies") }
    }
    /// The packages that depend on this one: the inverse, maintained by Core Data.
    var dependents: Set<Package> { value(forKey: "dependents") as? Set<Package> ?? [] }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: "imported")
    }
}
