// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property whose value is the result of a fetch.

import CoreDataModelFiles
import Foundation

/// A one-way, read-only property: an array of the objects that a request finds, fetched at first access.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// The request of a model file.
    final var requestDocument: ModelDocument.FetchRequest? { willSet { assertMutable() } }

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        requestDocument = (other as? NSFetchedPropertyDescription)?.requestDocument
    }
}
