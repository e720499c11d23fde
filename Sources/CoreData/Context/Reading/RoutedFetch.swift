// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch with the stores that take part in it, and their answers.

import Foundation

/// The part of a fetch below the unsaved changes of a context.
struct RoutedFetch {
    var fetch: BoundFetch
    /// The stores that may hold matching rows, in the order in which they were added.
    let stores: [any RecordStore]
    /// Whether the request names the stores.
    let namesStores: Bool

    init(_ fetch: BoundFetch, _ coordinator: NSPersistentStoreCoordinator, affected: [NSPersistentStore]?) {
        self.fetch = fetch
        stores = coordinator.stores(for: fetch.layout, affected: affected)
        namesStores = affected != nil
    }

    struct Answer {
        struct Part {
            /// nil for records that have no store yet.
            let home: StoreIdentity?
            var content: FetchOutcome
            /// Whether the results are in the requested order.
            var isOrdered = true
        }
        /// Most fetches use one store: its part needs no list, which would be one more allocation for each look-up.
        private var first: Part?
        private var others: [Part] = []
        /// Whether the results are in the requested order.
        var isSorted: Bool
        /// Whether offset and limit have been applied.
        var isWindowed: Bool

        init(_ parts: [Part] = [], isSorted: Bool, isWindowed: Bool) {
            self.isSorted = isSorted
            self.isWindowed = isWindowed
            self.parts = parts
        }

        /// The answer of one store.
        init(_ part: Part, isWindowed: Bool) {
            first = part
            isSorted = true
            self.isWindowed = isWindowed
        }

        var parts: [Part] {
            get { first.map { [$0] + others } ?? [] }
            set {
                first = newValue.first
                others = Array(newValue.dropFirst())
            }
        }

        mutating func add(_ part: Part) {
            if first == nil { first = part } else { others.append(part) }
        }

        /// Removes and returns the first part: moved, not copied.
        mutating func takeFirst() -> Part? { first.take() }

        func forEachPart(_ body: (Part) throws -> Void) rethrows {
            if let first { try body(first) }
            for part in others { try body(part) }
        }
    }

    /// - Parameter windowed: whether offset and limit may be applied: the context will not add or remove records.
    func answer(_ result: BoundFetch.Result, in scope: ReadScope, windowed: Bool) throws -> Answer {
        if stores.count == 1, !scope.readsGeneration {
            // Most look-ups use one store. Without lists of fetches they need half as much reference counting here.
            let store = stores[0]
            let home = store.identity
            let content = try store.fetch(addressed(to: home, result, windowed: windowed), in: scope.sharedRead)
            return Answer(Answer.Part(home: home, content: content), isWindowed: windowed)
        }
        let stores = try scope.readable(stores, of: fetch.layout, areNamed: namesStores)
        if stores.count > 1, case .dictionaries = result {
            return try storeFetches(result, in: scope, windowed: false).answer(in: scope.sharedRead)
        }
        let cuts = windowed && stores.count == 1
        var answer = Answer(isSorted: stores.count <= 1, isWindowed: cuts)
        for store in stores {
            answer.add(try storeFetch(to: store, result, windowed: cuts, scope).answer(in: scope.sharedRead))
        }
        return answer
    }

    /// The number in the answer to a count.
    func number(_ answer: Answer, windowed: Bool) -> Int {
        var total = 0
        answer.forEachPart { part in
            if case .count(let count) = part.content { total += count }
        }
        return windowed && !answer.isWindowed ? self.windowed(total) : total
    }

    /// How many of a number of results are within offset and limit.
    func windowed(_ total: Int) -> Int {
        let rest = max(0, total - fetch.offset)
        return fetch.limit > 0 ? min(rest, fetch.limit) : rest
    }
}

extension RoutedFetch {
    /// The fetches from all stores. They consist of values and stores, so they may be executed on any thread.
    struct StoreFetches {
        fileprivate let list: [StoreFetch]
        fileprivate let isWindowed: Bool

        func answer(in sharedRead: SharedReadTransaction?) throws -> Answer {
            if let joint = JointDictionaries(list) {
                let part = Answer.Part(home: nil, content: .dictionaries(try joint.shape(in: sharedRead)))
                return Answer([part], isSorted: true, isWindowed: false)
            }
            return Answer(
                try list.map { try $0.answer(in: sharedRead) }, isSorted: list.count <= 1, isWindowed: isWindowed)
        }

        /// How each store would execute the fetch.
        func explain(in sharedRead: SharedReadTransaction?) throws -> [FetchExplanation.Store] {
            try list.map { storeFetch in
                var fetch = storeFetch.fetch
                if list.count > 1, case .dictionaries = fetch.result { fetch = JointDictionaries.rows(fetch) }
                return try storeFetch.source.explain(fetch, in: sharedRead)
            }
        }
    }

    func storeFetches(_ result: BoundFetch.Result, in scope: ReadScope, windowed: Bool) throws
        -> StoreFetches
    {
        let stores = try scope.readable(stores, of: fetch.layout, areNamed: namesStores)
        let cuts = windowed && stores.count == 1
        return StoreFetches(
            list: try stores.map { try storeFetch(to: $0, result, windowed: cuts, scope) }, isWindowed: cuts)
    }

    /// The fetch as the only store receives it that takes part; nil for several stores, and for a pinned generation.
    func onlyFetch(in scope: ReadScope) -> (store: any RecordStore, fetch: BoundFetch)? {
        guard stores.count == 1, !scope.readsGeneration else { return nil }
        return (stores[0], addressed(to: stores[0].identity, .rows, windowed: true))
    }

    private func storeFetch(
        to store: any RecordStore, _ result: BoundFetch.Result, windowed: Bool, _ scope: ReadScope
    ) throws -> StoreFetch {
        StoreFetch(
            home: store.identity, source: try scope.records(of: store) ?? store,
            fetch: addressed(to: store.identity, result, windowed: windowed))
    }

    /// The fetch as one of the stores receives it.
    private func addressed(to home: StoreIdentity, _ result: BoundFetch.Result, windowed: Bool) -> BoundFetch {
        // A shape contains no objects.
        var fetch = fetch.prepared.hasShape ? fetch : fetch.addressed(to: home)
        fetch.result = result.addressed(to: home)
        if fetch.paging != nil { fetch.paging?.start?.ties = ties(in: home) }
        if !windowed { (fetch.limit, fetch.offset) = (0, 0) }
        return fetch
    }

    /// The records of a store that are after the position of a page if their sort values equal those there: records
    /// are ordered by store, then by key, unsaved ones last, or in the reverse order (Cursors-1).
    private func ties(in home: StoreIdentity) -> FetchPosition.Ties {
        guard let start = fetch.paging?.start else { return .all }
        if start.key > 0, start.home === home { return .after(start.key) }
        let isAscending = fetch.prepared.sorting.breaksTiesAscending
        guard start.key > 0, let there = stores.firstIndex(where: { $0.identity === start.home }),
            let here = stores.firstIndex(where: { $0.identity === home })
        else { return isAscending ? .none : .all }
        return (here > there) == isAscending ? .all : .none
    }
}

extension StoreFetch {
    fileprivate func answer(in sharedRead: SharedReadTransaction?) throws -> RoutedFetch.Answer.Part {
        RoutedFetch.Answer.Part(home: home, content: try source.fetch(fetch, in: sharedRead))
    }
}

extension RoutedFetch.Answer {
    /// Whether the answer has the requested form; keys are accepted for rows.
    func has(_ result: BoundFetch.Result) -> Bool {
        parts.allSatisfy { part in
            switch (part.content, result) {
            case (.rows, .rows), (.keys, .keys), (.keys, .rows), (.count, .count), (.dictionaries, .dictionaries): true
            default: false
            }
        }
    }
}
