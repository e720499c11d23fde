// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a command that goes on until the user ends it.

import CoreDataToolKit
import Dispatch
import Foundation
import Synchronization

/// The signals of Ctrl-C and of a closed terminal cancel the task, which then completes its output. A closed pipe ends
/// the program as it ends any other.
enum Watching {
    private struct State {
        var task: Task<Void, Never>?
        var isEnded = false
        var error: (any Error)?
    }

    private final class Progress: Sendable {
        let state = Mutex(State())
        let isOver = DispatchSemaphore(value: 0)

        func end() {
            let task = state.withLock { state in
                state.isEnded = true
                return state.task
            }
            task?.cancel()
        }
    }

    /// Calls the body and waits for it.
    ///
    /// - Throws: the errors of the body. A signal is not an error.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let progress = Progress()
        let signals = TerminationSignals(queue: .global()) { progress.end() }
        defer { signals.cancel() }
        let task = Task {
            do {
                try await body()
            } catch {
                progress.state.withLock { $0.error = error }
            }
            progress.isOver.signal()
        }
        let isEnded = progress.state.withLock { state in
            state.task = task
            return state.isEnded
        }
        if isEnded { task.cancel() }
        progress.isOver.wait()
        if let error = progress.state.withLock({ $0.error }) { throw error }
    }
}
