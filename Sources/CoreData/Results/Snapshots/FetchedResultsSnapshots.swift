// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of a controller as an asynchronous sequence; not part of Apple's API.

/// The present arrangement of a results controller and all later ones. `NSFetchedResultsController.snapshots` returns
/// it.
///
/// Each iterator returns the present snapshot first. A slow reader receives the newest snapshot and skips those before
/// it; `updatedObjectIDs` then includes the skipped updates. The sequence ends when the controller is released, and
/// when the reading task is cancelled. It may be read on any thread.
///
/// ```swift
/// for await snapshot in controller.snapshots { show(snapshot.objectIDs) }
/// ```
public struct FetchedResultsSnapshots: AsyncSequence, Sendable {
    private let feed: SnapshotFeed<FetchedResultsSnapshot>

    init(_ feed: SnapshotFeed<FetchedResultsSnapshot>) { self.feed = feed }

    /// Begins with the present snapshot.
    public func makeAsyncIterator() -> Iterator { Iterator(feed) }

    /// Reads the snapshots, one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: SnapshotFeed<FetchedResultsSnapshot>
        private let mailbox: SnapshotMailbox<FetchedResultsSnapshot>

        init(_ feed: SnapshotFeed<FetchedResultsSnapshot>) {
            self.feed = feed
            mailbox = feed.newMailbox()
        }

        /// The next snapshot, or the newest one if several arrived since the last call; nil at the end.
        public func next() async -> FetchedResultsSnapshot? {
            await mailbox.nextUntilCancelled()
        }
    }
}
