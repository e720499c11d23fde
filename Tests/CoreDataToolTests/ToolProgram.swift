// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the programs as a shell does.

import Foundation
import Testing

enum ToolProgram {
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String
    }

    static let isMissing = !FileManager.default.isExecutableFile(atPath: path("coredata-tool"))

    /// SwiftPM puts programs into the folder of the one that runs the tests.
    static func path(_ program: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(program).path
    }

    static func process(_ program: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path(program))
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        let errors = folder.url.appendingPathComponent("err")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: errors)
        return process
    }

    /// Starts a program as a shell does, with no signal blocked. Threads that run tests block most signals, and
    /// programs inherit that.
    static func start(_ process: Process) throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// Waits for the end of a program, and kills it after five minutes, so that a test fails instead of waiting for
    /// ever.
    static func waitForEnd(of process: Process) {
        let end = ContinuousClock.now + .seconds(300)
        while process.isRunning, ContinuousClock.now < end { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    static func errors(in folder: TemporaryFolder) throws -> String {
        try String(contentsOf: folder.url.appendingPathComponent("err"), encoding: .utf8)
    }

    static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
        try run("coredata-tool", arguments, in: folder)
    }

    static func run(_ program: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Outcome {
        let output = folder.url.appendingPathComponent("out")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let process = try process(program, arguments, in: folder)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try start(process)
        waitForEnd(of: process)
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try errors(in: folder))
    }
}

extension Trait where Self == ConditionTrait {
    static var needsPrograms: Self { .disabled(if: ToolProgram.isMissing, "needs the programs") }
}
