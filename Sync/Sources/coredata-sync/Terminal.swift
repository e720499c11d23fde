// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Output, questions and errors of the program.
import ArgumentParser
import Foundation

/// Results go to standard output, everything else to standard error.
enum Terminal {
    /// Runs a command, and prints the error that it throws.
    static func run(_ body: () throws -> Void) throws {
        do { try body() } catch {
            FileHandle.standardError.write(Data("coredata-sync: \(error.localizedDescription)\n".utf8))
            throw ExitCode(2)
        }
    }

    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    static func write(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        write(String(decoding: try encoder.encode(value), as: UTF8.self) + "\n")
    }

    private struct NoTerminal: LocalizedError {
        var errorDescription: String? {
            "Nothing was changed: there is no terminal to ask on. --yes answers the question."
        }
    }

    /// Asks on the terminal.
    ///
    /// - Throws: `NoTerminal` without one.
    static func confirms(_ question: String) throws -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            throw NoTerminal()
        }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }
}
