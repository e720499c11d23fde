// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shows a `Progress` as a line of the terminal, and cancels it at Ctrl-C.

import Dispatch
package import Foundation

package enum ProgressWatch {
    /// Runs a task that reports to a `Progress`, and shows that ten times a second. Ctrl-C and the end of the terminal
    /// cancel the progress, so the task can leave its files in order.
    ///
    /// - Parameters:
    ///   - signals: the signals that cancel the progress instead of ending the program.
    ///   - write: nil writes to standard error, if it is a terminal.
    package static func run<Result>(
        _ label: String, signals: [Int32] = TerminationSignals.all, write: ((String) -> Void)? = nil,
        _ body: (Progress) throws -> Result
    ) rethrows -> Result {
        let progress = Progress(totalUnitCount: 0)
        let line = ProgressLine(label, total: 0, write: write)
        let queue = DispatchQueue(label: "ProgressWatch")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 0.1, repeating: 0.1)
        timer.setEventHandler {
            line.total = Int(progress.totalUnitCount)
            line.advance(to: Int(progress.completedUnitCount))
        }
        timer.resume()
        let signals = TerminationSignals(signals, queue: queue) { progress.cancel() }
        defer {
            timer.cancel()
            signals.cancel()
            queue.sync { line.finish() }
        }
        return try body(progress)
    }
}
