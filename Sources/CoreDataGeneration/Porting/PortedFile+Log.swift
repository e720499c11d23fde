// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Puts imports of Apple's log under a condition.

extension PortedFile {
    private static let logModules: Set<String> = ["os", "OSLog"]
    private static let logNames: Set<String> = ["Logger", "OSLog", "OSSignposter", "os_log", "os_signpost"]

    mutating func guardLog() {
        let imports = tokens.indices.filter {
            `is`($0, "import") && tokens.indices.contains($0 + 1) && Self.logModules.contains(tokens[$0 + 1].text)
        }
        guard !imports.isEmpty else { return }
        for index in imports where !isGuarded[index] {
            let isSubmodule = `is`(index + 2, ".") && !tokens[index + 2].startsLine
            let end = tokens[isSubmodule ? index + 3 : index + 1].range.upperBound
            let statement = tokens[index].range.lowerBound..<end
            replace(statement, "#if canImport(os)\n    \(text(statement))\n#endif")
        }
        let use = tokens.indices.first { index in
            tokens[index].kind == .word && Self.logNames.contains(tokens[index].text) && !isGuarded[index]
                && !`is`(index - 1, "import") && !`is`(index - 1, ".")
        }
        guard let use else { return }
        warn(
            use,
            "\(tokens[use].text) is there on Apple's systems alone: put it under #if canImport(os), or take "
                + "swift-log, whose Logger is alike.")
    }
}
