// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A prepared fetch with the values of one request, as contexts send it to a store.

import CoreDataFoundation
import Foundation

/// Goes down to a store once; a `FetchOutcome` comes up once. It consists of values, so any thread may carry it.
package struct BoundFetch {
    private var content: Content
    package var result = Result.rows
    /// Whether the rows are needed in the order of the prepared fetch.
    package var isOrdered = true
    /// 0: no limit.
    package var limit = 0
    package var offset = 0
    package var batchSize = 0

    package enum Result {
        /// Whole rows.
        case rows
        /// Only keys.
        case keys
        case count
        indirect case dictionaries(DictionaryRequest)
    }

    /// Holds every reference-counted part, so that a copy of a fetch retains one object. Look-ups copy it several
    /// times.
    private final class Content {
        let prepared: PreparedFetch
        let comparisons: [FetchShape.Comparison]
        let filter: Filter
        let paging: FetchPaging?

        init(
            _ prepared: PreparedFetch, _ comparisons: [FetchShape.Comparison], _ filter: Filter,
            _ paging: FetchPaging? = nil
        ) {
            self.prepared = prepared
            self.comparisons = comparisons
            self.filter = filter
            self.paging = paging
        }
    }

    /// The predicate with its values.
    private enum Filter {
        case none
        /// The request's predicate, as it is: a look-up by shape needs no syntax tree.
        case request(NSPredicate)
        /// The comparisons are the predicate. Its syntax tree is made at each use.
        case comparisons
        case checked(PredicateSyntax)
    }

    /// For requests of a shape.
    package init(_ prepared: PreparedFetch, _ comparisons: [FetchShape.Comparison], of predicate: NSPredicate?) {
        content = Content(prepared, comparisons, predicate.map { .request($0) } ?? .none)
    }

    /// For look-ups without a request.
    package init(_ prepared: PreparedFetch, _ comparisons: [FetchShape.Comparison]) {
        content = Content(prepared, comparisons, .comparisons)
    }

    /// - Parameter predicate: every key path in it is one that `KeyPathResolver` can walk. A store gets object
    ///   arguments as `ObjectArgument`s with its own keys.
    package init(_ prepared: PreparedFetch, matching predicate: PredicateSyntax? = nil) {
        content = Content(prepared, [], Self.filter(predicate))
    }

    private static func filter(_ predicate: PredicateSyntax?) -> Filter { predicate.map { .checked($0) } ?? .none }

    package var prepared: PreparedFetch { content.prepared }
    /// The values of the prepared fetch's shape; empty for a fetch without a shape.
    package var comparisons: [FetchShape.Comparison] { content.comparisons }

    package var model: ModelLayout { prepared.model }
    package var layout: EntityLayout { prepared.layout }
    package var includesSubentities: Bool { prepared.options.contains(.includesSubentities) }
    package var sorting: [PreparedFetch.Sort] { isOrdered ? prepared.sorting : [] }

    package var predicate: PredicateSyntax? {
        get {
            switch content.filter {
            case .none: nil
            case .request(let predicate): predicate.syntax
            case .comparisons: FetchShape.predicate(comparisons, layout)
            case .checked(let predicate): predicate
            }
        }
        set { content = Content(prepared, comparisons, Self.filter(newValue), paging) }
    }

    /// The part of the order to which a page is limited; nil for other fetches. Results of a page are in a total order.
    ///
    /// Only fetches without a shape have one: statements of a shape have no position.
    package var paging: FetchPaging? {
        get { content.paging }
        set { content = Content(prepared, comparisons, content.filter, newValue) }
    }
}
