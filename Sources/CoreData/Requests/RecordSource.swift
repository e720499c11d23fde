// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A source of rows and keys: a store as it is now, or as it was at one moment.

import Foundation

/// A source of rows and keys.
///
/// Calls may come from several threads at once; the source synchronizes them. Data crosses this interface as finished
/// values, once per fetch.
package protocol RecordSource: AnyObject {
    /// The last known rows of this source; reading fills it.
    var rowCache: RowCache { get }

    func fetch(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchOutcome

    /// Describes how the fetch would be answered.
    func explain(_ fetch: BoundFetch, in sharedRead: SharedReadTransaction?) throws -> FetchExplanation.Store

    /// Rows by key below one root entity, in any order; keys without a row are left out.
    func rows(_ keys: [Int64], root: EntityLayout, in sharedRead: SharedReadTransaction?) throws -> [FetchedRow]

    /// The members of a to-many relationship for each of several owners; in order if the relationship is ordered.
    ///
    /// - Returns: an entry for each owner that has members.
    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in sharedRead: SharedReadTransaction?) throws
        -> [Int64:
        [Reference]]
}
