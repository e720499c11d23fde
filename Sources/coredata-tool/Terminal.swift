// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the programs say, where, and with which exit code they end.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

/// Results go to standard output, everything else to standard error. A failure is "coredata-tool: " with a sentence,
/// and what is wrong in a file is said as compilers say it, "file:line: error: sentence"; the exit code is 1.
enum Terminal {
    /// The exit code of a program that a closed pipe ended, as shells give it.
    private static let closedPipe = ExitCode(128 + SIGPIPE)

    /// Runs a command; what it throws becomes a message.
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

    /// Runs a command that makes files, and says what is to be said of the model.
    static func generate(_ body: () throws -> [Diagnostic]) throws {
        try run {
            for diagnostic in try body() { printError("\(diagnostic)\n") }
        }
    }

    /// Says something that is no error, beside the results.
    static func remark(_ text: String) { printError("coredata-tool: \(text)\n") }

    /// - Throws: `OutputFailure`; a reader such as `head` may have gone.
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

    /// The cells of a line of the terminal that standard output is; nil where it is none.
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
