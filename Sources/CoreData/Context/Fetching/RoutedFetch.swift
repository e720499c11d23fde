// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch and the stores that it concerns: asks them, or the parent of the context.

import Foundation

/// The part of a fetch below a context's own changes.
struct RoutedFetch {
    let resolution: FetchResolution
    let stores: [any RecordStore]

    struct Answer {
        struct Part {
            /// nil for records that no store has yet.
            let home: StoreIdentity?
            var content: FetchOutcome
            /// In the order asked for, as far as it goes.
            var isOrdered = true
        }
        var parts: [Part]
        /// In the order asked for.
        var isSorted: Bool
        /// Cut to the window asked for.
        var isWindowed: Bool
    }

    /// - Parameter windowed: whether the answer may be cut: nothing will be added or taken away.
    func answer(_ result: ResolvedFetch.Result, below context: NSManagedObjectContext, windowed: Bool) throws -> Answer
    {
        if let parent = ParentAccess(context) { return try parent.answer(self, result, windowed: windowed) }
        context.beginFetch(wantsNewest: resolution.settings.shouldRefreshRefetchedObjects)
        let stores = try context.readable(stores)
        if stores.count > 1, case .dictionaries = result {
            return try questions(result, below: context, windowed: false).answer(in: context.burst)
        }
        let cuts = windowed && stores.count == 1
        let parts = try stores.map { store in
            try question(result, store, windowed: cuts, context).answer(in: context.burst)
        }
        return Answer(parts: parts, isSorted: stores.count <= 1, isWindowed: cuts)
    }

    /// How many rows there are.
    ///
    /// - Parameter windowed: whether only those in the window are to be counted.
    func count(below context: NSManagedObjectContext, windowed: Bool) throws -> Int {
        if let parent = ParentAccess(context) { return try parent.count(self, windowed: windowed) }
        return number(try answer(.count, below: context, windowed: windowed), windowed: windowed)
    }

    /// The number in an answer that counts.
    func number(_ answer: Answer, windowed: Bool) -> Int {
        let total = answer.parts.reduce(0) { total, part in
            guard case .count(let count) = part.content else { return total }
            return total + count
        }
        return windowed && !answer.isWindowed ? self.windowed(total) : total
    }

    /// How many of a number of results are in the window.
    func windowed(_ total: Int) -> Int {
        let settings = resolution.settings
        let rest = max(0, total - settings.fetchOffset)
        return settings.fetchLimit > 0 ? min(rest, settings.fetchLimit) : rest
    }
}

extension RoutedFetch {
    /// What one store is asked: nothing but values, and a store that orders its callers.
    struct Question {
        let home: StoreIdentity
        let source: any RecordSource
        let fetch: ResolvedFetch

        func answer(in burst: ReadBurst?) throws -> Answer.Part {
            Answer.Part(home: home, content: try source.fetch(fetch, in: burst))
        }
    }

    /// What all stores are asked, so that any thread may ask it.
    struct Questions {
        fileprivate let list: [Question]
        fileprivate let isWindowed: Bool

        func answer(in burst: ReadBurst?) throws -> Answer {
            if let joint = JointDictionaries(list.map { .init(home: $0.home, source: $0.source, fetch: $0.fetch) }) {
                let part = Answer.Part(home: nil, content: .dictionaries(try joint.shape(in: burst)))
                return Answer(parts: [part], isSorted: true, isWindowed: false)
            }
            return Answer(
                parts: try list.map { try $0.answer(in: burst) }, isSorted: list.count <= 1, isWindowed: isWindowed)
        }

        /// How each store would answer.
        func explain(in burst: ReadBurst?) throws -> [FetchExplanation.Store] {
            try list.map { question in
                var fetch = question.fetch
                if list.count > 1, case .dictionaries = fetch.result { fetch = JointDictionaries.question(fetch) }
                return try question.source.explain(fetch, in: burst)
            }
        }
    }

    /// For a context without a parent.
    func questions(_ result: ResolvedFetch.Result, below context: NSManagedObjectContext, windowed: Bool) throws
        -> Questions
    {
        let stores = try context.readable(stores)
        let cuts = windowed && stores.count == 1
        return Questions(
            list: try stores.map { try question(result, $0, windowed: cuts, context) }, isWindowed: cuts)
    }

    private func question(
        _ result: ResolvedFetch.Result, _ store: any RecordStore, windowed: Bool, _ context: NSManagedObjectContext
    ) throws -> Question {
        Question(
            home: store.identity, source: try context.records(of: store) ?? store,
            fetch: resolution.fetch(result, from: store.identity, windowed: windowed))
    }
}

extension RoutedFetch.Answer {
    /// Whether it is an answer of the form asked for; keys will do for rows.
    func says(_ result: ResolvedFetch.Result) -> Bool {
        parts.allSatisfy { part in
            switch (part.content, result) {
            case (.rows, .rows), (.keys, .keys), (.keys, .rows), (.count, .count), (.dictionaries, .dictionaries): true
            default: false
            }
        }
    }
}
