// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of a controller as an asynchronous sequence. Ours, beside Apple's API.

import Synchronization

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
    private let feed: SnapshotFeed

    init(_ feed: SnapshotFeed) { self.feed = feed }

    /// Begins with the present snapshot.
    public func makeAsyncIterator() -> Iterator { Iterator(feed) }

    /// Reads the snapshots, one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: SnapshotFeed
        private let mailbox: SnapshotMailbox

        init(_ feed: SnapshotFeed) {
            self.feed = feed
            mailbox = feed.newMailbox()
        }

        /// The next snapshot, or the newest of those that came since the last one; nil at the end.
        public func next() async -> FetchedResultsSnapshot? {
            let mailbox = mailbox
            return await withTaskCancellationHandler {
                await mailbox.next()
            } onCancel: {
                mailbox.finish()
            }
        }
    }
}

/// The newest snapshot of a controller, and the iterators that wait for later ones.
final class SnapshotFeed: Sendable {
    private struct State {
        var newest: FetchedResultsSnapshot?
        var mailboxes: [WeakMailbox] = []
        var isFinished = false
    }

    private struct WeakMailbox {
        weak var mailbox: SnapshotMailbox?
    }

    private let state = Mutex(State())

    func newMailbox() -> SnapshotMailbox {
        let mailbox = SnapshotMailbox()
        state.withLock { state in
            state.mailboxes.append(WeakMailbox(mailbox: mailbox))
            // Before any later one.
            if var newest = state.newest {
                newest.updatedObjectIDs = []
                mailbox.put(newest)
            }
            if state.isFinished { mailbox.finish() }
        }
        return mailbox
    }

    func send(_ snapshot: FetchedResultsSnapshot) {
        let mailboxes = state.withLock { state in
            state.newest = snapshot
            state.mailboxes.removeAll { $0.mailbox == nil }
            return state.mailboxes.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.put(snapshot) }
    }

    func finish() {
        let mailboxes = state.withLock { state in
            state.isFinished = true
            return state.mailboxes.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.finish() }
    }
}

/// At most one snapshot that waits for a reader.
final class SnapshotMailbox: Sendable {
    private struct State {
        var waiting: FetchedResultsSnapshot?
        var reader: CheckedContinuation<FetchedResultsSnapshot?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    func put(_ snapshot: FetchedResultsSnapshot) {
        let reader = state.withLock { state -> CheckedContinuation<FetchedResultsSnapshot?, Never>? in
            if state.isFinished { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.waiting = snapshot.joining(state.waiting?.updatedObjectIDs ?? [])
            return nil
        }
        reader?.resume(returning: snapshot)
    }

    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    func next() async -> FetchedResultsSnapshot? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> FetchedResultsSnapshot?? in
                if let waiting = state.waiting {
                    state.waiting = nil
                    return .some(waiting)
                }
                if state.isFinished { return .some(nil) }
                precondition(state.reader == nil, "An iterator is read by one task at a time.")
                state.reader = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
