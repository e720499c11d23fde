// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property whose value is the result of a fetch.

import Foundation

/// A one-way, read-only property: an array of the objects that a request finds, fetched at first access.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }
}
