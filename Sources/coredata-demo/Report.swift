// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Prints the results of the demonstration and measures its steps.

import Foundation

/// Prints to standard output; progress goes to standard error if that is a terminal.
enum Report {
    static func title(_ text: String) { print("\n\(text)") }
    static func line(_ text: String) { print("  \(text)") }

    static func answer(_ question: String, _ examples: [String], _ time: Duration) {
        print("  \(question), \(text(time))\n    \(examples.joined(separator: ", "))")
    }

    /// A line that the next one overwrites.
    static func progress(_ label: String, _ done: Int, of total: Int) {
        guard isatty(2) == 1, done.isMultiple(of: 50) || done == total else { return }
        let end = done == total ? "\r\u{1B}[K" : ""
        let line = "\r  \(label): \(done) of \(total)\u{1B}[K" + end
        FileHandle.standardError.write(Data(line.utf8))
    }

    static func timed<T>(_ work: () throws -> T) rethrows -> (value: T, time: Duration) {
        let started = ContinuousClock.now
        let value = try work()
        return (value, ContinuousClock.now - started)
    }

    static func text(_ duration: Duration) -> String {
        let seconds = Self.seconds(duration)
        return seconds < 1 ? "\(String(format: "%.1f", seconds * 1000)) ms" : "\(String(format: "%.2f", seconds)) s"
    }

    static func rate(_ count: Int, _ duration: Duration) -> Int { Int(Double(count) / max(seconds(duration), 1e-9)) }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
