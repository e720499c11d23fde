// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of an observer at one moment as a value, and the sequence of them.

import CoreData

/// Sections and models of a `ResultsObserver` at one moment, by title and identifier. Not in Apple's API.
public struct ResultsSnapshot: Sendable, Equatable {
    /// One section.
    public struct Section: Sendable, Equatable {
        /// The title; "" for an observer without sections.
        public var title: String
        /// The identifiers of its models, in order.
        public var identifiers: [PersistentIdentifier]
    }

    /// The sections, in order.
    public var sections: [Section]
    /// The identifiers of all models, in order.
    public var identifiers: [PersistentIdentifier]
    /// The models that changed since the snapshot that the reader got before.
    public var updatedIdentifiers: Set<PersistentIdentifier>
}

extension ResultsSnapshot: ResultsSnapshotValue {
    package var withoutUpdates: ResultsSnapshot {
        var result = self
        result.updatedIdentifiers = []
        return result
    }

    package func joining(_ skipped: ResultsSnapshot) -> ResultsSnapshot {
        var result = self
        result.updatedIdentifiers.formUnion(skipped.updatedIdentifiers.intersection(identifiers))
        return result
    }
}

/// Each iterator begins with the present snapshot.
struct ResultsSnapshots: AsyncSequence, Sendable {
    private let feed: SnapshotFeed<ResultsSnapshot>

    init(_ feed: SnapshotFeed<ResultsSnapshot>) { self.feed = feed }

    func makeAsyncIterator() -> Iterator { Iterator(feed) }

    struct Iterator: AsyncIteratorProtocol {
        // Keeps the feed, which the observer knows weakly.
        private let feed: SnapshotFeed<ResultsSnapshot>
        private let mailbox: SnapshotMailbox<ResultsSnapshot>

        init(_ feed: SnapshotFeed<ResultsSnapshot>) {
            self.feed = feed
            mailbox = feed.newMailbox()
        }

        func next() async -> ResultsSnapshot? { await mailbox.nextUntilCancelled() }
        func next(isolation actor: isolated (any Actor)?) async -> ResultsSnapshot? {
            await mailbox.nextUntilCancelled()
        }
    }
}
