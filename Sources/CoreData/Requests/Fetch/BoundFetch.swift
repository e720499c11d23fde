// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A prepared fetch with the values of one request: the question to a store.

import CoreDataFoundation
import Foundation

/// Goes down to a store once; a `FetchOutcome` comes up once. Nothing but values, so any thread may carry it.
struct BoundFetch {
    private var content: Content
    var result = Result.rows
    /// Whether the rows are wanted in the order of the prepared fetch.
    var isOrdered = true
    /// 0: no limit.
    var limit = 0
    var offset = 0
    var batchSize = 0

    enum Result {
        /// Whole rows.
        case rows
        /// Keys alone.
        case keys
        case count
        indirect case dictionaries(DictionaryRequest)
    }

    /// Everything that is counted, so that a copy of a fetch counts one object. Look-ups copy it several times.
    private final class Content {
        let prepared: PreparedFetch
        let comparisons: [FetchShape.Comparison]
        let filter: Filter

        init(_ prepared: PreparedFetch, _ comparisons: [FetchShape.Comparison], _ filter: Filter) {
            self.prepared = prepared
            self.comparisons = comparisons
            self.filter = filter
        }
    }

    /// The predicate with its values.
    private enum Filter {
        case none
        /// As the request has it: a shape is looked up without making a tree of it.
        case request(NSPredicate)
        case checked(PredicateSyntax)
    }

    /// For requests of a shape.
    init(_ prepared: PreparedFetch, _ comparisons: [FetchShape.Comparison], of predicate: NSPredicate?) {
        content = Content(prepared, comparisons, predicate.map { .request($0) } ?? .none)
    }

    /// - Parameter predicate: every key path in it is one that `KeyPathResolver` can walk. A store gets object
    ///   arguments as `ObjectArgument`s with its own keys.
    init(_ prepared: PreparedFetch, matching predicate: PredicateSyntax? = nil) {
        content = Content(prepared, [], Self.filter(predicate))
    }

    private static func filter(_ predicate: PredicateSyntax?) -> Filter { predicate.map { .checked($0) } ?? .none }

    var prepared: PreparedFetch { content.prepared }
    /// The values of the prepared fetch's shape; empty where it has none.
    var comparisons: [FetchShape.Comparison] { content.comparisons }

    var model: ModelLayout { prepared.model }
    var layout: EntityLayout { prepared.layout }
    var includesSubentities: Bool { prepared.options.contains(.includesSubentities) }
    var sorting: [PreparedFetch.Sort] { isOrdered ? prepared.sorting : [] }

    var predicate: PredicateSyntax? {
        get {
            switch content.filter {
            case .none: nil
            case .request(let predicate): predicate.syntax
            case .checked(let predicate): predicate
            }
        }
        set { content = Content(prepared, comparisons, Self.filter(newValue)) }
    }
}
