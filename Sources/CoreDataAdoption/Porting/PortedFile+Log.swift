// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts imports of Apple's log under a condition, and finds the uses of its names.

import CoreDataGeneration

extension PortedFile {
    private static let logModules: Set<String> = ["os", "OSLog"]

    mutating func guardLog() {
        for index in logImports where !isGuarded[index] {
            let isSubmodule = `is`(index + 2, ".") && !tokens[index + 2].startsLine
            let end = tokens[isSubmodule ? index + 3 : index + 1].range.upperBound
            // `@preconcurrency import os` and `private import os` move as a whole.
            let start = tokens[headStart(index)].range.lowerBound
            replace(start..<end, "#if canImport(os)\n    \(text(start..<end))\n#endif")
        }
    }

    /// `AppleLog` lacks some names, and has none in a module `os`.
    mutating func warnOfLog() {
        guard !logImports.isEmpty else { return }
        var seen: Set<String> = []
        for index in tokens.indices where isLogUse(index) && !seen.contains(tokens[index].text) {
            let name = tokens[index].text
            if AppleLog.missing.contains(name) {
                warn(index, "\(name) is there on Apple's systems alone: put it under #if canImport(os).")
            } else if AppleLog.names.contains(name), `is`(index - 1, ".") {
                warn(index, "The module os is there on Apple's systems alone: write \(name) without its name.")
            } else {
                continue
            }
            seen.insert(name)
        }
    }

    /// Uses of the names that `AppleLog` declares, outside of conditions.
    var logUses: [Int] {
        guard !logImports.isEmpty else { return [] }
        return tokens.indices.filter { AppleLog.names.contains(tokens[$0].text) && isLogUse($0) && !`is`($0 - 1, ".") }
    }

    /// Whether the declaration around a token is visible in other modules.
    func isInPublicHead(_ index: Int) -> Bool {
        tokens[statementStart(index)..<index].contains { ["public", "open", "package"].contains($0.text) }
    }

    /// Also `os.Logger`; not the member of another type.
    private func isLogUse(_ index: Int) -> Bool {
        tokens[index].kind == .word && !isGuarded[index] && !`is`(index - 1, "import")
            && (!`is`(index - 1, ".") || `is`(index - 2, "os") || `is`(index - 2, "OSLog"))
            && !`is`(index - 3, "import") && !`is`(index - 4, "import")
    }

    private var logImports: [Int] {
        tokens.indices.filter {
            `is`($0, "import") && tokens.indices.contains($0 + 1) && Self.logModules.contains(tokens[$0 + 1].text)
        }
    }
}
