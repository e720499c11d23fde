// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a program with a limit of time, and returns its output.

import Foundation

struct CommandRun: Sendable {
    var status: Int32
    /// Standard output and standard error, in their order.
    var output: String
    var wasStopped = false

    /// - Parameters:
    ///   - limit: in seconds; the program and its children end then.
    ///   - log: the file for the output, which is replaced.
    /// - Throws: errors of starting the program and of writing the log.
    static func run(_ arguments: [String], in folder: URL, limit: Double, log: URL) throws -> CommandRun {
        guard FileManager.default.createFile(atPath: log.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: log.path])
        }
        let handle = try FileHandle(forWritingTo: log)
        defer { try? handle.close() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        let end = ContinuousClock.now + .seconds(limit)
        while process.isRunning, ContinuousClock.now < end { usleep(20_000) }
        let isLate = process.isRunning
        if isLate { for child in family(of: process.processIdentifier) { kill(child, SIGKILL) } }
        process.waitUntilExit()
        let text = (try? Data(contentsOf: log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return CommandRun(status: process.terminationStatus, output: text, wasStopped: isLate)
    }

    /// A process and its descendants. Each thread has children; a build system starts them from several threads. All
    /// must end, because `waitUntilExit` waits for every holder of the pipe that it watches.
    private static func family(of process: Int32, depth: Int = 0) -> [Int32] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        let lists = threads.map { thread in
            (try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)) ?? ""
        }
        let children = lists.flatMap { $0.split(separator: " ").compactMap { Int32($0) } }
        return [process] + (depth < 32 ? children.flatMap { family(of: $0, depth: depth + 1) } : [])
    }
}
