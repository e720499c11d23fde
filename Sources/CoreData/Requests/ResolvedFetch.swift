// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch request with every name looked up: what a store is asked, as a value, with nothing left to guess.

import CoreDataFoundation
import Foundation

/// What a context asks of a store. It goes down once; `FetchOutcome` comes up once.
struct ResolvedFetch {
    var layout: EntityLayout
    var model: ModelLayout
    var includesSubentities = true
    /// Object arguments have become `ObjectKey`s of the store asked (see `ObjectArgument`), variables are substituted,
    /// and every key path is one that `KeyPathResolver` can walk.
    var predicate: PredicateSyntax?
    /// The predicate again, where it is of the plain kind.
    var condition: PlainCondition?
    var sorting: [Sort] = []
    /// 0: no limit.
    var limit = 0
    var offset = 0
    var result = Result.rows
    /// nil for stores that are not given requests.
    var hints: FetchHints?

    struct Sort {
        var keyPath: ResolvedKeyPath
        var isAscending: Bool
        var comparison: SortComparison
        /// For stores that sort in memory.
        var descriptor: NSSortDescriptor
    }

    enum Result {
        /// Whole rows.
        case rows
        /// Keys alone.
        case keys
        case count
        case dictionaries(Dictionaries)
    }

    struct Dictionaries {
        var columns: [Column]
        var groupBy: [[PathStep]] = []
        var having: PredicateSyntax?
        var isDistinct = false

        struct Column {
            /// The key in the dictionary.
            var name: String
            var value: Value
            /// nil: as the expression gives it.
            var resultType: NSAttributeType?

            enum Value {
                case property([PathStep])
                case expression(ExpressionSyntax)
                case objectID
            }
        }
    }
}

/// What a request says of how its results will be used: it changes none of them. One word in a `ResolvedFetch`.
final class FetchHints: Sendable {
    let relationshipKeyPathsForPrefetching: [String]?
    let fetchBatchSize: Int
    let returnsObjectsAsFaults: Bool

    init(_ settings: FetchSettings) {
        relationshipKeyPathsForPrefetching = settings.relationshipKeyPathsForPrefetching
        fetchBatchSize = settings.fetchBatchSize
        returnsObjectsAsFaults = settings.returnsObjectsAsFaults
    }
}

extension [ResolvedFetch.Sort] {
    /// Whether rows that compare equal stand in the order of their keys, or the other way round: as the last descriptor
    /// says. Every store keeps to it, so that the same request gives the same list everywhere.
    var breaksTiesUpwards: Bool { last?.isAscending ?? true }
}

/// One step of a key path over the model.
struct PathStep: Equatable {
    /// The entity that the step starts at.
    var layoutIndex: Int
    var slot: Int
    /// The name of a composite's element, where the slot is a composite.
    var element: String?
}

/// An object given as an argument of a predicate: the store compares it by key.
///
/// A value of the constant expressions in `ResolvedFetch.predicate`; never leaves the process. Equal to a row with its
/// key.
class ObjectArgument: NSObject {
    final let key: ObjectKey
    /// The root entity below which the key counts.
    final let rootIndex: Int
    /// False for objects of another store, or unsaved ones: they equal no row of this store.
    final let isInStore: Bool

    init(key: ObjectKey, rootIndex: Int, isInStore: Bool = true) {
        self.key = key
        self.rootIndex = rootIndex
        self.isInStore = isInStore
    }

    final override var hash: Int { key.key.hashValue }

    final override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? ObjectArgument else { return false }
        return other === self
            || isInStore && other.isInStore && key.key == other.key.key && rootIndex == other.rootIndex
    }
}

/// What a store answers.
enum FetchOutcome {
    /// In the order asked for; `Snapshot.layout` says the concrete entity.
    case rows([FetchedRow])
    case keys([ObjectKey])
    case count(Int)
    /// Objects in them are given as `ObjectKey`.
    case dictionaries([[String: Any]])
}
