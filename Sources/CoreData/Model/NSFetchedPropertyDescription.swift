// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property with the result of a fetch as its value.

import CoreDataModelFiles
import Foundation

/// A one-way, read-only property: an array of the results of a request, fetched at first access.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    /// The request. In its predicate `$FETCH_SOURCE` refers to the object and `$FETCHED_PROPERTY` to this description.
    /// nil fetches nothing.
    ///
    /// Setter and getter copy the request.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { Self.copy(request) }
        set {
            assertMutable()
            request = Self.copy(newValue)
        }
    }

    final private var request: NSFetchRequest<any NSFetchRequestResult>?

    /// The request in the form of model files.
    final var requestDocument: ModelDocument.FetchRequest? {
        get { (request as (any DocumentedRequest)?)?.document(name: "") }
        set {
            assertMutable()
            request = newValue.map { document in
                let request = NSFetchRequest<any NSFetchRequestResult>()
                (request as any DocumentedRequest).take(document)
                return request
            }
        }
    }

    private static func copy(_ request: NSFetchRequest<any NSFetchRequestResult>?)
        -> NSFetchRequest<any NSFetchRequestResult>?
    {
        request?.copy() as? NSFetchRequest<any NSFetchRequestResult>
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        request = Self.copy((other as? NSFetchedPropertyDescription)?.request)
    }
}

/// A request that a model file can describe: `NSFetchRequest`.
protocol DocumentedRequest: AnyObject {
    /// Takes over all settings of a description. A predicate that cannot be read matches nothing.
    func take(_ document: ModelDocument.FetchRequest)

    /// - Parameter name: empty for the request of a fetched property.
    func document(name: String) -> ModelDocument.FetchRequest
}
