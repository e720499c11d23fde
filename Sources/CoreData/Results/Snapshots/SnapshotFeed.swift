// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Passes the newest snapshot of some results to readers of asynchronous sequences.

import Synchronization

/// Results at one moment, with their changes since the previous snapshot.
package protocol ResultsSnapshotValue: Sendable {
    /// The same snapshot for a reader that begins with it.
    var withoutUpdates: Self { get }
    /// The same snapshot for a reader that skipped the previous one.
    func joining(_ skipped: Self) -> Self
}

/// The newest snapshot of some results, and the iterators that wait for later ones.
package final class SnapshotFeed<Snapshot: ResultsSnapshotValue>: Sendable {
    private struct State {
        var newest: Snapshot?
        var mailboxes: [WeakMailbox] = []
        var isFinished = false
    }

    private struct WeakMailbox {
        weak var mailbox: SnapshotMailbox<Snapshot>?
    }

    private let state = Mutex(State())

    package init() {}

    package func newMailbox() -> SnapshotMailbox<Snapshot> {
        let mailbox = SnapshotMailbox<Snapshot>()
        state.withLock { state in
            state.mailboxes.append(WeakMailbox(mailbox: mailbox))
            // Put in before any later snapshot.
            if let newest = state.newest { mailbox.put(newest.withoutUpdates) }
            if state.isFinished { mailbox.finish() }
        }
        return mailbox
    }

    package func send(_ snapshot: Snapshot) {
        let mailboxes = state.withLock { state in
            state.newest = snapshot
            state.mailboxes.removeAll { $0.mailbox == nil }
            return state.mailboxes.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.put(snapshot) }
    }

    package func finish() {
        let mailboxes = state.withLock { state in
            state.isFinished = true
            return state.mailboxes.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.finish() }
    }
}

/// Stores at most one snapshot for a reader.
package final class SnapshotMailbox<Snapshot: ResultsSnapshotValue>: Sendable {
    private struct State {
        var waiting: Snapshot?
        var reader: CheckedContinuation<Snapshot?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    func put(_ snapshot: Snapshot) {
        let reader = state.withLock { state -> CheckedContinuation<Snapshot?, Never>? in
            if state.isFinished { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.waiting = state.waiting.map(snapshot.joining) ?? snapshot
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

    /// Returns nil at the end, and after the task is cancelled.
    package func nextUntilCancelled() async -> Snapshot? {
        await withTaskCancellationHandler {
            await next()
        } onCancel: {
            finish()
        }
    }

    private func next() async -> Snapshot? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Snapshot?? in
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
