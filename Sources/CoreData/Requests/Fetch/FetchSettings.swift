// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The content of a fetch request, whatever the type of its results.

import Foundation

/// The properties of a fetch request. `NSFetchRequest` is generic; this is the part of it that is not.
struct FetchSettings {
    var entity: NSEntityDescription?
    var entityName: String?
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor]?
    var fetchLimit = 0
    var fetchOffset = 0
    var fetchBatchSize = 0
    var resultType = NSFetchRequestResultType.managedObjectResultType
    var options = FetchOptions.standard
    var relationshipKeyPathsForPrefetching: [String]?
    var propertiesToFetch: [Any]?
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?
}

/// The properties of a fetch request that are true or false.
struct FetchOptions: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let includesSubentities = FetchOptions(rawValue: 1)
    static let includesPropertyValues = FetchOptions(rawValue: 2)
    static let includesPendingChanges = FetchOptions(rawValue: 4)
    static let returnsObjectsAsFaults = FetchOptions(rawValue: 8)
    static let returnsDistinctResults = FetchOptions(rawValue: 16)
    static let shouldRefreshRefetchedObjects = FetchOptions(rawValue: 32)

    /// The options of a new request.
    static let standard: FetchOptions = [
        .includesSubentities, .includesPropertyValues, .includesPendingChanges, .returnsObjectsAsFaults,
    ]

    subscript(option: FetchOptions) -> Bool {
        get { contains(option) }
        set { if newValue { insert(option) } else { remove(option) } }
    }
}
