// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets initializers that are called through a metatype return an object.

import Foundation

/// Lets an initializer of a protocol return an existing object: `self` can be assigned where a protocol is not limited to classes.
protocol ObjectAdopting {}

extension ObjectAdopting where Self: NSObject {
    /// - Parameter object: of this class.
    init(adopting object: NSObject) { self = unsafeDowncast(object, to: Self.self) }
}
