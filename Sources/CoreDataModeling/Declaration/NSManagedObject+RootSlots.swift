// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The start of the slot numbering of managed classes.

public import CoreData

extension NSManagedObject {
    /// The number of slots of a class. Each managed class has a type with this name, which hides that
    /// of its superclass.
    public enum _DeclaredSlots {
        /// 0: `NSManagedObject` declares no properties.
        @inlinable public static var count: Int { 0 }
    }
}
