// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Describes a class that a macro has made managed.

/// The description that `@ManagedObject` of `CoreDataModeling` makes of a class. For generated code only.
public protocol _ManagedClassDeclaration: Sendable {
    /// The class itself; a subclass without the macro inherits the declaration of its superclass.
    var _type: NSManagedObject.Type { get }
    /// Its slots and those of its superclasses, as `SlotSignature` spells them.
    var _signature: String { get }
}

extension NSManagedObject {
    /// Lets models name the class, wherever it is nested.
    package class func makeFindable() { ObjectClasses.register(self) }
}
