// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What lies below a context: the stores, or the context above it.

import Foundation

/// A member of a to-many, as the level below tells it.
struct Member {
    let key: ObjectKey
    /// nil for an object that no store has yet.
    let home: StoreIdentity?
}

extension NSManagedObjectContext {
    /// The rows that faults would be fulfilled with: known ones that are not too old, else read.
    ///
    /// - Parameters:
    ///   - home: nil for records that no store has yet; they come from a parent.
    ///   - patience: for how many seconds a cached row serves; negative: for ever.
    /// - Returns: rows under the keys asked for, in any order; none for a record that is gone.
    func rowsBelow(_ keys: [Int64], root: EntityLayout, home: StoreIdentity?, patience: TimeInterval) throws
        -> [FetchedRow]
    {
        if let parent = ParentAccess(self) {
            return try parent.rows(keys, root: root, home: home, patience: patience)
        }
        guard let home, let store = home.store as? any RecordStore, let records = try records(of: store) else {
            return []
        }
        // In a generation nothing grows old.
        let patience = isPinned ? -1 : patience
        var rows: [FetchedRow] = []
        var unknown: [Int64] = []
        for key in keys {
            if let row = records.rowCache.row(root: root.index, key: key), !RowClock.isStale(row.stamp, after: patience)
            {
                rows.append(FetchedRow(key: key, snapshot: row))
            } else {
                unknown.append(key)
            }
        }
        if unknown.isEmpty { return rows }
        burst?.renew(after: patience)
        return try rows + unlessRemoved(home, []) { try records.rows(unknown, root: root, in: burst) }
    }

    /// The members of a to-many for each of several owners of one store, in order where it is ordered.
    func membersBelow(of slot: Int, layout: EntityLayout, owners: [Int64], home: StoreIdentity?) throws -> [Int64:
        [Member]]
    {
        if let parent = ParentAccess(self) {
            return try parent.members(of: slot, layout: layout, owners: owners, home: home)
        }
        guard let home, let store = home.store as? any RecordStore, let records = try records(of: store) else {
            return [:]
        }
        burst?.renew(after: stalenessInterval)
        let members = try unlessRemoved(home, [:]) {
            try records.members(of: slot, layout: layout, owners: owners, in: burst)
        }
        return members.mapValues { references in
            references.map { Member(key: ObjectKey($0.entityIndex, $0.key), home: home) }
        }
    }

    /// A fetch is about to ask the stores: the state that the burst has seen may be too old for it.
    func beginFetch(wantsNewest: Bool = false) {
        let interval = stalenessInterval
        burst?.renew(after: wantsNewest ? 0 : interval < 0 ? ReadBurst.patience : min(interval, ReadBurst.patience))
    }

    /// A store that is removed during the read gives no record, as if it had been asked afterwards (Stores-K4).
    private func unlessRemoved<Answer>(_ home: StoreIdentity, _ none: Answer, _ ask: () throws -> Answer) throws
        -> Answer
    {
        do {
            return try ask()
        } catch  where !home.hasStore {
            return none
        }
    }
}

/// The part of a fetch below a context's own changes.
struct SourceFetch {
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

extension SourceFetch {
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

extension SourceFetch.Answer {
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
