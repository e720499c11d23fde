// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A source of rows and keys: a store as it is now, or as it was at one moment.

import Foundation

/// A source of rows and keys.
///
/// Calls may come from several threads at once; the source brings its own order among them. Everything crosses
/// this border as finished values, once per fetch.
package protocol RecordSource: AnyObject {
    /// Last known rows of this source, filled while it reads.
    var rowCache: RowCache { get }

    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome

    /// How the fetch would be answered.
    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store

    /// Rows by key below one root entity, in any order; keys without a row are left out.
    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow]

    /// The members of a to-many for each of several owners; ordered where the relationship is ordered.
    ///
    /// - Returns: an entry for each owner that has members.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
}
