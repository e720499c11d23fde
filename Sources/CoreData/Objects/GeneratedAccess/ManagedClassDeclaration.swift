// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes a class that a macro has made managed.

/// The description that `@ManagedObject` of `CoreDataModeling` makes of a class. Not for use by hand.
public protocol _ManagedClassDeclaration: Sendable {
    /// The class itself; a subclass without the macro has the declaration of this one.
    var _type: NSManagedObject.Type { get }
    /// Its slots and those of its superclasses, as `SlotSignature` spells them.
    var _signature: String { get }
}

extension NSManagedObject {
    /// Lets models name the class, wherever it is nested.
    package class func makeFindable() { ObjectClasses.register(self) }
}
