// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch request with every name looked up and every comparison checked. Documentation/Internals/Fetching.md, "One
// road".

import CoreDataFoundation
import Foundation

/// The part of a fetch that does not depend on the values in its predicate. Requests of one shape share it
/// (Fetching-R1).
package final class PreparedFetch: @unchecked Sendable {  // immutable
    package let model: ModelLayout
    package let layout: EntityLayout
    package let options: FetchOptions
    package let resultType: NSFetchRequestResultType
    /// nil for a fetch that serves only one request.
    package let shape: FetchShape?
    /// Whether there is a shape. Reading the shape itself would retain it for each look-up.
    package let hasShape: Bool
    /// Whether the predicate calls code of the program. Such code expects objects, so contexts evaluate it.
    package let hasCode: Bool
    package let sorting: [Sort]
    package let prefetchedKeyPaths: [String]?
    /// nil unless the request asks for dictionaries.
    package let dictionaries: Result<DictionaryRequest, any Error>?

    package struct Sort {
        package var keyPath: ResolvedKeyPath
        package var isAscending: Bool
        package var comparison: SortComparison
        /// For stores that sort in memory.
        package var descriptor: NSSortDescriptor
    }

    package init(
        model: ModelLayout, layout: EntityLayout, options: FetchOptions = .standard,
        resultType: NSFetchRequestResultType = .managedObjectResultType, shape: FetchShape? = nil,
        hasCode: Bool = false, sorting: [Sort] = [], prefetchedKeyPaths: [String]? = nil,
        dictionaries: Result<DictionaryRequest, any Error>? = nil
    ) {
        self.model = model
        self.layout = layout
        self.options = options
        self.resultType = resultType
        self.shape = shape
        hasShape = shape != nil
        self.hasCode = hasCode
        self.sorting = sorting
        self.prefetchedKeyPaths = prefetchedKeyPaths
        self.dictionaries = dictionaries
    }
}

extension [PreparedFetch.Sort] {
    /// Whether rows that compare equal are in ascending order of their keys, or in descending order. The last
    /// descriptor decides. Every store follows it, so that a request has the same result in every store.
    package var breaksTiesAscending: Bool { last?.isAscending ?? true }
}
