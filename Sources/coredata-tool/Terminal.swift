// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The output, error messages and exit codes of the tools.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

/// Results go to standard output, everything else to standard error. A failure is "coredata-tool: " with a sentence; a
/// fault in a file is printed in the format of compilers, "file:line: error: sentence". The exit code is 1.
enum Terminal {
    /// The exit code that shells use for a program ended by a closed pipe.
    private static let closedPipe = ExitCode(128 + SIGPIPE)

    /// Runs a command and prints an error that it throws.
    static func run(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as GenerationFailure {
            printError("\(failure)\n")
            throw ExitCode.failure
        } catch let failure as OutputFailure where failure.isClosed {
            throw closedPipe
        } catch {
            printError("coredata-tool: \(ToolError.text(of: error))\n")
            throw ExitCode.failure
        }
    }

    /// Runs a command that creates files, and prints its diagnostics about the model.
    static func generate(_ body: () throws -> [Diagnostic]) throws {
        try run {
            for diagnostic in try body() { printError("\(diagnostic)\n") }
        }
    }

    /// Prints a remark on standard error.
    static func remark(_ text: String) { printError("coredata-tool: \(text)\n") }

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

    /// The width of the terminal on standard output, in cells; nil if it is not a terminal.
    static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return columns
        }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
