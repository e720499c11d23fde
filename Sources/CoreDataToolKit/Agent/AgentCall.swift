// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One running call of an agent: it ends by its answer, by cancellation, or by its time limit.

import Foundation
import Synchronization

/// The state of a call, shared by its thread, the reader of messages, and the timer.
///
/// # States
///     running ──finish──▶ ended        cancellation and time limit end it, too; the first of them wins
final class AgentCall: Sendable {
    struct Ended: Error {}

    private struct State {
        var isEnded = false
        var interrupt: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether this call of the method ended the call. Only then may the caller answer.
    func finish() -> Bool {
        let (isFirst, interrupt) = state.withLock { state in
            defer { state.isEnded = true }
            return (!state.isEnded, state.isEnded ? nil : state.interrupt)
        }
        interrupt?()
        return isFirst
    }

    /// - Throws: `Ended`, so that work without a reader stops.
    func check() throws {
        if state.withLock({ $0.isEnded }) { throw Ended() }
    }

    /// Sets the operation that stops a running statement; nil for none.
    func onEnd(_ interrupt: (@Sendable () -> Void)?) {
        let isEnded = state.withLock { state in
            state.interrupt = interrupt
            return state.isEnded
        }
        if isEnded { interrupt?() }
    }
}
