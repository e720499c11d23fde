// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The output, error messages and exit codes of the tools.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

/// Results go to standard output, everything else to standard error. A failure is "coredata-tool: " with a sentence; a
/// fault in a file is printed in the format of compilers, "file:line: error: sentence".
///
/// Exit status: 0 for success, 1 for findings, 2 for a command that could not run. `migrate check`, `plan` and `run`
/// have other statuses.
enum Terminal {
    /// The command ran, and reports findings.
    static let findings = ExitCode(1)
    /// The command could not run: a wrong command line, a missing or damaged file, a full disk.
    static let couldNotRun = ExitCode(2)
    /// The exit code that shells use for a program ended by a closed pipe.
    private static let closedPipe = ExitCode(128 + SIGPIPE)

    /// Runs a command and prints an error that it throws.
    ///
    /// - Parameter failure: the exit code for an error.
    static func run(failing failure: ExitCode = couldNotRun, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let fault as GenerationFailure {
            printError("\(fault)\n")
            throw failure
        } catch let fault as OutputFailure where fault.isClosed {
            throw closedPipe
        } catch let code as ExitCode {
            throw code
        } catch {
            printError("coredata-tool: \(ToolError.text(of: error))\n")
            throw failure
        }
    }

    /// Runs a command that may end with a status other than 0.
    static func report(_ body: () throws -> ExitCode?) throws {
        var status: ExitCode?
        try run { status = try body() }
        if let status { throw status }
    }

    /// Runs a command that creates files, and prints its diagnostics about the model.
    static func generate(_ body: () throws -> [Diagnostic]) throws {
        try run {
            for diagnostic in try body() { printError("\(diagnostic)\n") }
        }
    }

    /// Prints a note on standard error.
    static func printNote(_ text: String) { printError("coredata-tool: \(text)\n") }

    /// - Throws: `OutputFailure`, for example if a reader such as `head` has ended.
    static func write(_ text: String) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let isClosed = cause.map { $0.domain == NSPOSIXErrorDomain && $0.code == Int(EPIPE) } ?? false
            throw OutputFailure("The output cannot be written: \(ToolError.text(of: error))", isClosed: isClosed)
        }
    }

    static func print(_ text: String) throws { try write(text) }

    static func printError(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    /// Whether standard output is a terminal, and its user has not switched colours off (no-color.org).
    static var hasColors: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// The width of the terminal on standard output, in cells; nil if it is not a terminal.
    static var width: Int? { width(of: STDOUT_FILENO) }

    static func width(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return columns
        }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// The part of a task that is running, on standard error if that is a terminal which can erase a line.
final class StepLine {
    private let isShown = ProgressLine.isPossible

    func show(_ step: String) {
        if isShown { Terminal.printError("\r\u{1B}[K\(step) …") }
    }

    func end() {
        if isShown { Terminal.printError("\r\u{1B}[K") }
    }
}
