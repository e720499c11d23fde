// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of a controller as an asynchronous sequence. Ours, beside Apple's API.

/// The arrangements of a results controller, from the present one on. `NSFetchedResultsController.snapshots` gives it.
///
/// Each iterator gets the present snapshot first. One that reads slowly gets the newest snapshot and skips those
/// between; `updatedObjectIDs` then joins the skipped updates. The sequence ends when the controller is released, and
/// when the task that reads is cancelled. It may be read on any thread.
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

        /// The next snapshot, or the newest of those that came since the last one; nil at the end.
        public func next() async -> FetchedResultsSnapshot? {
            await mailbox.nextUntilCancelled()
        }
    }
}
