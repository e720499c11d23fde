// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Stops the running statement of a block when its task is cancelled. Documentation/Internals/Limits.md

import Dispatch
import Foundation
import Synchronization

/// The signal of one block. Its task sets it from any thread.
///
/// # Invariants
/// (1) An action is called only while its body runs: a statement of a later call is never stopped (Limits-C2).
/// (2) No body that could commit runs as stoppable (Limits-C3).
package final class StopSignal: Sendable {
    private struct State {
        var isStopped = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
        /// The numbers of the bodies that were stopped.
        var called: Set<Int> = []
    }

    private let state = Mutex(State())

    /// The signal of the block that the present thread runs; nil unless its context stops statements.
    package static var current: StopSignal? { BlockOrigin.current?.stop }

    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// - Throws: 3072 if the task was cancelled.
    package func check() throws {
        if isStopped { throw CoreDataError.cancelled() }
    }

    /// Called when the task is cancelled.
    func stop() {
        let isBusy = state.withLock { state in
            state.isStopped = true
            return !state.actions.isEmpty
        }
        guard isBusy else { return }
        // Not in the thread that cancels the task: an action may talk to a server. The lock makes a body that ends
        // meanwhile wait for its action (1).
        DispatchQueue.global().async { [self] in
            state.withLock { state in
                for (number, action) in state.actions {
                    state.called.insert(number)
                    action()
                }
            }
        }
    }

    /// Runs a body that may be stopped.
    ///
    /// - Parameter action: stops the body, which then throws. It is called with a lock, at most once.
    /// - Throws: 3072 in place of the body's error or result if it was stopped, or the task was cancelled before.
    package func stopping<T>(by action: @escaping @Sendable () -> Void, _ body: () throws -> T) throws -> T {
        let number = try state.withLock { state in
            if state.isStopped { throw CoreDataError.cancelled() }
            state.next += 1
            state.actions[state.next] = action
            return state.next
        }
        let result = Result { try body() }
        let isCalled = state.withLock { state in
            state.actions[number] = nil
            return state.called.remove(number) != nil
        }
        if isCalled { throw CoreDataError.cancelled() }
        return try result.get()
    }
}
