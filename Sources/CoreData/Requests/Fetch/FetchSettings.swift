// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The content of a fetch request, independent of the type of its results.

import Foundation

/// The properties of a fetch request, without the type parameter of `NSFetchRequest`.
package struct FetchSettings {
    package var entity: NSEntityDescription?
    package var entityName: String?
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    package var resultType = NSFetchRequestResultType.managedObjectResultType
    package var options = FetchOptions.standard
    package var relationshipKeyPathsForPrefetching: [String]?
    package var propertiesToFetch: [Any]?
    package var propertiesToGroupBy: [Any]?
    package var havingPredicate: NSPredicate?
    package var groupWindow: GroupWindow?
}

/// The properties of a fetch request that are true or false.
package struct FetchOptions: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let includesSubentities = FetchOptions(rawValue: 1)
    package static let includesPropertyValues = FetchOptions(rawValue: 2)
    package static let includesPendingChanges = FetchOptions(rawValue: 4)
    package static let returnsObjectsAsFaults = FetchOptions(rawValue: 8)
    package static let returnsDistinctResults = FetchOptions(rawValue: 16)
    package static let shouldRefreshRefetchedObjects = FetchOptions(rawValue: 32)

    /// The options of a new request.
    package static let standard: FetchOptions = [
        .includesSubentities, .includesPropertyValues, .includesPendingChanges, .returnsObjectsAsFaults,
    ]

    package subscript(option: FetchOptions) -> Bool {
        get { contains(option) }
        set { if newValue { insert(option) } else { remove(option) } }
    }
}
