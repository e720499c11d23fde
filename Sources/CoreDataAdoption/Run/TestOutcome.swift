// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the results of tests from the output of XCTest and Swift Testing.

import Foundation

/// One test of a run.
package struct TestOutcome: Codable, Equatable, Sendable {
    package enum Result: String, Codable, Sendable {
        case passed
        case failed
        case skipped
        /// The process ended, or was stopped, while the test ran.
        case crashed
    }

    package var name: String
    package var result: Result
    /// The first line of a failure.
    package var message: String?

    /// The results of XCTest: "Test Case 'ItemTests.testName' passed (0.1 seconds)".
    static func ofXCTest(_ output: String) -> [TestOutcome] {
        var found: [TestOutcome] = []
        var (running, message): (String?, String?) = (nil, nil)
        for line in output.split(whereSeparator: \.isNewline) {
            if let match = line.firstMatch(of: /Test Case '([^']+)' (started|passed|failed|skipped)/) {
                let name = String(match.output.1)
                if match.output.2 == "started" {
                    (running, message) = (name, nil)
                } else {
                    let result = Result(rawValue: String(match.output.2)) ?? .failed
                    found.append(TestOutcome(name: name, result: result, message: result == .failed ? message : nil))
                    running = nil
                }
            } else if running != nil, message == nil, line.contains("error:") || line.contains("Fatal error") {
                message = String(line.prefix(400))
            }
        }
        if let running { found.append(TestOutcome(name: running, result: .crashed, message: message)) }
        return found
    }

    /// The results of Swift Testing, of which each test has a line when it starts and one when it ends.
    static func ofSwiftTesting(_ output: String) -> [TestOutcome] {
        var found: [TestOutcome] = []
        var running: [String] = []
        var messages: [String: String] = [:]
        for line in output.split(whereSeparator: \.isNewline) {
            if let match = line.firstMatch(
                of: /Test (?:case passing .* to )?(".+"|\S+\(.*?\)) (started|passed|failed|skipped|recorded an issue)/)
            {
                let (name, event) = (String(match.output.1), match.output.2)
                guard !line.contains("Test case passing") || event == "recorded an issue" else { continue }
                switch event {
                case "started": running.append(name)
                case "recorded an issue": messages[name] = messages[name] ?? String(line.prefix(400))
                default:
                    running.removeAll { $0 == name }
                    let result = Result(rawValue: String(event)) ?? .failed
                    found.append(TestOutcome(name: name, result: result, message: messages[name]))
                }
            }
        }
        let isComplete = output.contains(/Test run with \d+ tests?/)
        let fatal = output.split(whereSeparator: \.isNewline).first { $0.contains("Fatal error") }
        if !isComplete {
            found += running.map {
                TestOutcome(name: $0, result: .crashed, message: fatal.map { String($0.prefix(400)) })
            }
        }
        return found
    }
}
