// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The lines that a worker writes to its supervisor: cases, counts and findings.

import CFaults
import Foundation

/// Writes each line at once, so that the last one is known after a crash.
final class Report {
    private var current = 0

    func begin(_ number: Int, _ text: @autoclosure () -> String = "") {
        current = number
        send("case \(number) \(text())")
    }

    func count(_ name: String, _ number: Int = 1) { send("count \(number) \(name)") }

    /// The greatest number of these lines that are kept.
    func measure(_ name: String, _ number: Int) { send("measure \(number) \(name)") }

    /// Printed as it is.
    func note(_ text: String) { send("note \(text)") }

    func finding(_ text: String) { send("finding \(current) \(text.replacing("\n", with: " | "))") }

    func findings(_ texts: [String], _ place: String) {
        for text in texts.prefix(3) { finding("\(place): \(text)") }
    }

    func done() { send("done") }

    private func send(_ line: String) {
        Data((line + "\n").utf8).withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let count = write(1, bytes.baseAddress! + start, bytes.count - start)  // never empty
                guard count > 0 else { return }
                start += count
            }
        }
    }
}
