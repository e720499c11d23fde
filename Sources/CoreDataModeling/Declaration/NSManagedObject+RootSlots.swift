// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Where the slots of managed classes begin.

public import CoreData

extension NSManagedObject {
    /// How many slots a class has; each managed class has a type of this name, which hides that of its superclass.
    public enum _DeclaredSlots {
        @inlinable public static var count: Int { 0 }
    }
}
