// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch and the stores that it concerns, and their answers.

import Foundation

/// The part of a fetch below the unsaved changes of a context.
struct RoutedFetch {
    let fetch: BoundFetch
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
            /// nil for records that no store has yet.
            let home: StoreIdentity?
            var content: FetchOutcome
            /// In the order asked for, as far as it goes.
            var isOrdered = true
        }
        /// Most fetches ask one store: its part needs no list, which would be one more allocation for each look-up.
        private var first: Part?
        private var others: [Part] = []
        /// In the order asked for.
        var isSorted: Bool
        /// Cut to the window asked for.
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

        /// The first part, which the answer does not have any more: moved, not copied.
        mutating func takeFirst() -> Part? { first.take() }

        func forEachPart(_ body: (Part) throws -> Void) rethrows {
            if let first { try body(first) }
            for part in others { try body(part) }
        }
    }

    /// - Parameter windowed: whether the answer may be cut: no record will be added to it or removed from it.
    func answer(
        _ result: BoundFetch.Result, in scope: ReadScope, _ settings: ContextSettings, windowed: Bool
    ) throws -> Answer {
        scope.beginFetch(
            settings.staleness, wantsNewest: fetch.prepared.options.contains(.shouldRefreshRefetchedObjects))
        if stores.count == 1, !scope.readsGeneration {
            // Most look-ups ask one store. Without lists and questions they count half as many references here.
            let store = stores[0]
            let home = store.identity
            let content = try store.fetch(addressed(to: home, result, windowed: windowed), in: scope.sharedRead)
            return Answer(Answer.Part(home: home, content: content), isWindowed: windowed)
        }
        let stores = try scope.readable(stores, of: fetch.layout, areNamed: namesStores)
        if stores.count > 1, case .dictionaries = result {
            return try questions(result, in: scope, windowed: false).answer(in: scope.sharedRead)
        }
        let cuts = windowed && stores.count == 1
        var answer = Answer(isSorted: stores.count <= 1, isWindowed: cuts)
        for store in stores {
            answer.add(try question(to: store, result, windowed: cuts, scope).answer(in: scope.sharedRead))
        }
        return answer
    }

    /// The number in an answer that counts.
    func number(_ answer: Answer, windowed: Bool) -> Int {
        var total = 0
        answer.forEachPart { part in
            if case .count(let count) = part.content { total += count }
        }
        return windowed && !answer.isWindowed ? self.windowed(total) : total
    }

    /// How many of a number of results are in the window.
    func windowed(_ total: Int) -> Int {
        let rest = max(0, total - fetch.offset)
        return fetch.limit > 0 ? min(rest, fetch.limit) : rest
    }
}

extension RoutedFetch {
    /// The questions to all stores. They hold values and stores, so any thread may ask them.
    struct Questions {
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

        /// How each store would answer.
        func explain(in sharedRead: SharedReadTransaction?) throws -> [FetchExplanation.Store] {
            try list.map { question in
                var fetch = question.fetch
                if list.count > 1, case .dictionaries = fetch.result { fetch = JointDictionaries.rows(fetch) }
                return try question.source.explain(fetch, in: sharedRead)
            }
        }
    }

    func questions(_ result: BoundFetch.Result, in scope: ReadScope, windowed: Bool) throws
        -> Questions
    {
        let stores = try scope.readable(stores, of: fetch.layout, areNamed: namesStores)
        let cuts = windowed && stores.count == 1
        return Questions(
            list: try stores.map { try question(to: $0, result, windowed: cuts, scope) }, isWindowed: cuts)
    }

    private func question(
        to store: any RecordStore, _ result: BoundFetch.Result, windowed: Bool, _ scope: ReadScope
    ) throws -> StoreFetch {
        StoreFetch(
            home: store.identity, source: try scope.records(of: store) ?? store,
            fetch: addressed(to: store.identity, result, windowed: windowed))
    }

    /// The fetch as one of the stores gets it.
    private func addressed(to home: StoreIdentity, _ result: BoundFetch.Result, windowed: Bool) -> BoundFetch {
        // A shape has no objects in it.
        var fetch = fetch.prepared.hasShape ? fetch : fetch.addressed(to: home)
        fetch.result = result.addressed(to: home)
        if !windowed { (fetch.limit, fetch.offset) = (0, 0) }
        return fetch
    }
}

extension StoreFetch {
    fileprivate func answer(in sharedRead: SharedReadTransaction?) throws -> RoutedFetch.Answer.Part {
        RoutedFetch.Answer.Part(home: home, content: try source.fetch(fetch, in: sharedRead))
    }
}

extension RoutedFetch.Answer {
    /// Whether it has the form asked for; keys serve for rows.
    func has(_ result: BoundFetch.Result) -> Bool {
        parts.allSatisfy { part in
            switch (part.content, result) {
            case (.rows, .rows), (.keys, .keys), (.keys, .rows), (.count, .count), (.dictionaries, .dictionaries): true
            default: false
            }
        }
    }
}
