// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Initializers called through a metatype: they can return an existing object, or need no arguments.

public import CoreDataFoundation
import Foundation

/// Lets an initializer return an existing object: in a protocol that is not limited to classes, `self` can be assigned.
protocol ObjectAdopting {}

extension ObjectAdopting where Self: NSObject {
    /// - Parameter object: an instance of this class.
    init(adopting object: NSObject) { self = unsafeDowncast(object, to: Self.self) }
}

extension NSObject {
    /// Calls the class's own `init()`. Only `createPlain()` calls it.
    @_silgen_name("ocd_create_plain_object")
    convenience init(createdPlain: Void) { self.init() }

    /// Creates an object with the class's own `init()`; see `NSManagedObject.create(_:_:)`.
    @_silgen_name("ocd_create_plain_object")
    final class func createPlain() -> NSObject
}

extension NSEntityDescription: MetatypeInitializing, ObjectAdopting {}
extension NSPropertyDescription: MetatypeInitializing, ObjectAdopting {}
extension NSManagedObjectModel: MetatypeInitializing, ObjectAdopting {}

extension MetatypeInitializing where Self: NSEntityDescription {
    /// The initializer for a class known only at run time.
    @_disfavoredOverload
    public init() {
        let type: NSObject.Type = type(of: self)
        self.init(adopting: type.createPlain())
    }
}

extension MetatypeInitializing where Self: NSPropertyDescription {
    /// The initializer for a class known only at run time.
    @_disfavoredOverload
    public init() {
        let type: NSObject.Type = type(of: self)
        self.init(adopting: type.createPlain())
    }
}

extension MetatypeInitializing where Self: NSManagedObjectModel {
    /// The initializer for a class known only at run time.
    @_disfavoredOverload
    public init() {
        let type: NSObject.Type = type(of: self)
        self.init(adopting: type.createPlain())
    }
}
