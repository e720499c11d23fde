// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the errors of the compiler from the output of a build.

import Foundation

/// An error at a place, or without one for an error of the build system.
struct CompilerError: Hashable {
    var path: String
    var line: Int
    /// Counted from 1, in bytes of UTF-8; 0 if the compiler names none.
    var column = 0
    var message: String

    /// The name that the compiler does not find.
    var missingName: String? {
        let pattern = /(?:cannot find (?:type )?|has no member )'([^']+)'/
        return message.firstMatch(of: pattern).map { String($0.output.1) }
    }

    /// The errors of an output, without repetitions, in their order. An error in the expansion of a macro has the place
    /// of the macro; one in code of the source that a macro repeats has its own line.
    static func all(in output: String) -> [CompilerError] {
        var found: [CompilerError] = []
        var known: Set<CompilerError> = []
        var pending: (message: String, line: Int?)?
        func append(_ error: CompilerError) {
            if known.insert(error).inserted { found.append(error) }
        }
        // Most of a long output is quoted source. Only lines with a mark are worth a regular expression.
        for line in output.split(whereSeparator: \.isNewline) where line.contains("error: ") || pending != nil {
            // A macro that repeats code of a source names it by its module: "Shop/Item.swift".
            if let match = line.wholeMatch(
                of: /(\/[^:]+|macro expansion [^:]+|<[^>]+>|\w[^:]*\/[^:]+\.swift):(\d+)(?::(\d+))?: error: (.*)/)
            {
                let (path, number) = (String(match.output.1), Int(match.output.2) ?? 0)
                let message = String(match.output.4)
                if path.hasPrefix("/"), !path.contains("@__swiftmacro_") {
                    let column = match.output.3.flatMap { Int($0) } ?? 0
                    append(CompilerError(path: path, line: number, column: column, message: message))
                    pending = nil
                } else {
                    pending = (message, path.hasSuffix(".swift") && !path.hasPrefix("/") ? number : nil)
                }
            } else if let (message, own) = pending,
                let match = line.wholeMatch(
                    of: /.*?(\/[^:]+):(\d+):\d+: note: (?:expanded code originates here|in expansion of macro.*)/)
            {
                let place = (String(match.output.1), Int(match.output.2) ?? 0)
                append(CompilerError(path: place.0, line: own ?? place.1, message: message))
                pending = nil
            } else if let message = line.prefixMatch(of: /error: (.*)/) {
                append(CompilerError(path: "", line: 0, message: String(message.output.1)))
            }
        }
        if let pending { append(CompilerError(path: "", line: 0, message: pending.message)) }
        return found
    }
}
