// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The results of an adoption as a value, which is also its JSON.

import Foundation

package struct AdoptionReport: Codable, Equatable, Sendable {
    package enum Status: String, Codable, Sendable {
        case passed
        /// A built test failed.
        case failed
        /// The package was built, and no test passed, because all were left out.
        case testsLeftOut
        case nothingBuilt
        /// The package was written, and a build was not asked for.
        case written
    }

    package struct File: Codable, Equatable, Sendable {
        package enum State: String, Codable, Sendable {
            /// The original, by a link.
            case taken
            /// A copy, for which `port` or the missing modules need other text, without cuts.
            case changed
            /// A copy without some declarations.
            case cut
            case leftOut
        }

        /// The path in the repository.
        package var path: String
        package var state: State
        package var reason: String?
        package var cuts: [Cut] = []
    }

    package struct Target: Codable, Equatable, Sendable {
        package var name: String
        package var module: String
        package var isTests: Bool
        package var files: [File]
        package var models: [String]
        package var resources: [String]
        /// Names of build phases with scripts, which did not run.
        package var scripts: [String]
        /// Sources in Objective-C and C.
        package var foreignSources: [String]
        package var warnings: [String]
    }

    package var project: String
    package var output: String
    package var status = Status.nothingBuilt
    package var targets: [Target] = []
    package var leftOutTargets: [LeftOut] = []
    package var tests: [TestOutcome] = []
    /// Tests that were cut or are in files that were left out.
    package var testsLeftOut: [LeftOut] = []
    /// Sources of the project that were changed because an option asked for it.
    package var changedInPlace: [String] = []
    /// Files of the output that a person edited.
    package var kept: [String] = []
    package var notes: [String] = []
    /// The first errors, if nothing could be built.
    package var errors: [String] = []
    package var rounds = 0
    /// Seconds of each step.
    package var seconds: [String: Double] = [:]

    package func count(_ result: TestOutcome.Result) -> Int { tests.count { $0.result == result } }

    package func files(_ state: File.State, tests: Bool? = nil) -> [File] {
        targets.filter { tests == nil || $0.isTests == tests }.flatMap(\.files).filter { $0.state == state }
    }

    /// The reasons for cuts and left-out files with their numbers, the commonest first. What a person can do next.
    package var commonReasons: [(reason: String, count: Int)] {
        let files = targets.flatMap(\.files)
        let reasons =
            files.filter { $0.state == .leftOut }.compactMap(\.reason)
            + files.flatMap { file in
                file.state == .leftOut ? [] : file.cuts.map(\.reason)
            }
        return Dictionary(grouping: reasons) { $0 }.map { ($0.key, $0.value.count) }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
