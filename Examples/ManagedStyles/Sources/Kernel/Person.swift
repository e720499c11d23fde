// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes in a module that contains their model.

public import CoreData

open class Person: NSManagedObject {
    @NSManaged public var name: String?
    @NSManaged open var born: Date?
    @NSManaged var inside: Int32

    public var doubled: Int32 {
        get { inside * 2 }
        set { inside = newValue / 2 }
    }
}

public final class Box: NSObject {
    public let text: String
    public init(text: String) { self.text = text }
}

public enum Grade: String {
    case low, high
}
