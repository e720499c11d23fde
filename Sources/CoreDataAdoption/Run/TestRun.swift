// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the tests of the package. A test that ends the process fails, and the rest runs without it.

import Foundation

struct TestRun {
    /// A run of one framework begins again without the crashed test this many times.
    static let mostCrashes = 10

    let swift: SwiftCommand

    /// - Parameter frameworks: those that the tests import.
    func outcomes(xctest: Bool, testing: Bool) throws -> [TestOutcome] {
        var found: [TestOutcome] = []
        if xctest { found += try outcomes("--disable-swift-testing", TestOutcome.ofXCTest) }
        if testing { found += try outcomes("--disable-xctest", TestOutcome.ofSwiftTesting) }
        return found
    }

    private func outcomes(_ option: String, _ read: (String) -> [TestOutcome]) throws -> [TestOutcome] {
        var settled: [TestOutcome] = []
        for _ in 0...Self.mostCrashes {
            let skipped = settled.filter { $0.result == .crashed }.flatMap { ["--skip", Self.pattern($0.name)] }
            let run = try swift.run(["test", "--skip-build", option, "--no-parallel"] + skipped, log: "test.log")
            let outcomes = read(run.output)
            let crashed = outcomes.filter { $0.result == .crashed }
            let old = settled.filter { $0.result == .crashed }
            settled = old + outcomes
            if crashed.isEmpty {
                if run.status != 0, !settled.contains(where: { $0.result == .failed || $0.result == .crashed }) {
                    settled.append(
                        TestOutcome(name: "the run", result: .failed, message: Self.reason(in: run.output)))
                }
                break
            }
            if run.wasStopped { break }
        }
        return settled
    }

    /// The line with the cause: that of the trap, if the process ended before its first test.
    static func reason(in output: String) -> String {
        let lines = output.split(whereSeparator: \.isNewline)
        let marks = ["Fatal error:", "Could not cast value", "error:"]
        let line = marks.lazy.compactMap { mark in lines.first { $0.contains(mark) } }.first
        return line.map { String($0.prefix(400)) } ?? "It failed."
    }

    /// A regular expression for a test's identifier.
    private static func pattern(_ name: String) -> String {
        let plain = name.replacingOccurrences(of: ".", with: "[./]").prefix { $0 != "(" }
        return "\(plain.filter { $0.isLetter || $0.isNumber || "_[./]".contains($0) })(\\(|$)"
    }
}

/// `swift build` and `swift test` of the package.
struct SwiftCommand {
    let package: URL
    let scratch: URL
    /// The limit of one command, in seconds.
    var limit: Double

    func run(_ arguments: [String], log: String) throws -> CommandRun {
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let places = ["--package-path", package.path, "--scratch-path", scratch.path]
        let command = ["swift", arguments[0]] + places + arguments.dropFirst()
        return try CommandRun.run(command, in: package, limit: limit, log: scratch.appendingPathComponent(log))
    }
}
