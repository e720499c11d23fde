// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Initializers that are called through a metatype: how they return an object, and those of the classes without arguments.

public import CoreDataFoundation
import Foundation

/// Lets an initializer of a protocol return an existing object: `self` can be assigned where a protocol is not limited to classes.
protocol ObjectAdopting {}

extension ObjectAdopting where Self: NSObject {
    /// - Parameter object: of this class.
    init(adopting object: NSObject) { self = unsafeDowncast(object, to: Self.self) }
}

extension NSObject {
    /// Calls the class's own `init()`; called through `createPlain()` alone.
    @_silgen_name("ocd_create_plain_object")
    convenience init(createdPlain: Void) { self.init() }

    /// Makes an object by the initializer `init()` of the class itself; see `NSManagedObject.create(_:_:)`.
    @_silgen_name("ocd_create_plain_object")
    final class func createPlain() -> NSObject
}

extension NSEntityDescription: MetatypeInitializing, ObjectAdopting {}
extension NSPropertyDescription: MetatypeInitializing, ObjectAdopting {}
extension NSManagedObjectModel: MetatypeInitializing, ObjectAdopting {}

extension MetatypeInitializing where Self: NSEntityDescription {
    /// The initializer of the class, where the class is known only at run time.
    @_disfavoredOverload
    public init() {
        let type: NSObject.Type = type(of: self)
        self.init(adopting: type.createPlain())
    }
}

extension MetatypeInitializing where Self: NSPropertyDescription {
    /// The initializer of the class, where the class is known only at run time.
    @_disfavoredOverload
    public init() {
        let type: NSObject.Type = type(of: self)
        self.init(adopting: type.createPlain())
    }
}

extension MetatypeInitializing where Self: NSManagedObjectModel {
    /// The initializer of the class, where the class is known only at run time.
    @_disfavoredOverload
    public init() {
        let type: NSObject.Type = type(of: self)
        self.init(adopting: type.createPlain())
    }
}
