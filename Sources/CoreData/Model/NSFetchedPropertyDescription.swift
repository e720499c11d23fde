// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property with the result of a fetch as its value.

import CoreDataModelFiles
import Foundation

/// A one-way, read-only property: an array of the results of a request, fetched at first access.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// The request. In its predicate `$FETCH_SOURCE` stands for the object and `$FETCHED_PROPERTY` for this
    /// description. nil fetches nothing.
    ///
    /// Setter and getter copy the request.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { request.map(\.duplicate) }
        set {
            assertMutable()
            request = newValue?.duplicate
        }
    }

    final private var request: NSFetchRequest<any NSFetchRequestResult>?

    /// The request in the form of model files.
    final var requestDocument: ModelDocument.FetchRequest? {
        get { request?.document(name: "") }
        set {
            assertMutable()
            request = newValue.map { NSFetchRequest<any NSFetchRequestResult>(document: $0) }
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        request = (other as? NSFetchedPropertyDescription)?.request?.duplicate
    }
}
