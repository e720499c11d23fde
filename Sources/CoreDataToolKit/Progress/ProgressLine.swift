// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A progress bar for work that takes longer than a second.

import Foundation

/// Shows the progress of a task on standard error after a second, and removes the line at the end.
///
/// Confined to the thread of the task.
package final class ProgressLine {
    private let label: String
    /// The number of steps; 0 if unknown.
    package var total: Int
    private let start = ContinuousClock.now
    private var last: ContinuousClock.Instant?
    private let write: ((String) -> Void)?

    /// - Parameters:
    ///   - write: nil writes to standard error, if a line can be erased there.
    package init(_ label: String, total: Int, write: ((String) -> Void)? = nil) {
        self.label = label
        self.total = total
        self.write = write ?? (Self.isPossible ? { FileHandle.standardError.write(Data($0.utf8)) } : nil)
    }

    /// Whether standard error is a terminal that can erase a line.
    package static var isPossible: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    package func advance(to done: Int) {
        guard let write else { return }
        let now = ContinuousClock.now
        guard now - start > .seconds(1), last.map({ now - $0 > .milliseconds(100) }) ?? true else { return }
        last = now
        write("\r" + Self.text(label: label, done: done, total: total) + "\u{1B}[K")
    }

    package func finish() {
        if last != nil { write?("\r\u{1B}[K") }
        last = nil
    }

    /// "Reading Person  [#####.....] 50 % (500 of 1000)"
    package static func text(label: String, done: Int, total: Int, width: Int = 30) -> String {
        guard total > 0 else { return "\(label)  \(done)" }
        let share = min(max(Double(done) / Double(total), 0), 1)
        let filled = Int(share * Double(width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "\(label)  [\(bar)] \(Int(share * 100)) % (\(done) of \(total))"
    }
}
