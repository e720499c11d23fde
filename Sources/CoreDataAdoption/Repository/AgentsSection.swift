// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The section about the package in AGENTS.md, the file that coding agents read.

import Foundation

enum AgentsSection {
    static let path = "AGENTS.md"
    private static let begin = "<!-- coredata-tool adopt: begin -->"
    private static let end = "<!-- coredata-tool adopt: end -->"

    /// - Parameters:
    ///   - package: the path of the package in the repository.
    ///   - project: the path of the project in the repository.
    static func text(package: String, project: String) -> String {
        """
        \(begin)
        ## Building and testing on Linux
        The model layer and its unit tests build on Linux with OpenCoreData, in the package `\(package)`.

        - `swift test --package-path \(package)` builds and tests it. Run it after each change of the model layer.
        - Most sources in `\(package)` are links to the files of this repository. A file whose last line begins with
          "// Copied from" is a copy without the declarations that need Apple's frameworks: edit the original, then run
          `coredata-tool adopt \(project)`, which remakes the copies and reports what it left out.
        - A file in `\(package)` that you edit yourself is kept as it is from then on.
        - Views, storyboards and tests of the interface are not in the package: a green run says nothing about them.
        \(end)

        """
    }

    /// Puts a section into a file: at its end, or in place of the section of an earlier run.
    ///
    /// - Parameters:
    ///   - old: the text of the file; nil for none.
    ///   - digest: that of the section of the last run; nil for none.
    /// - Returns: nil if a person edited the section, or one of its marks.
    static func inserted(_ section: String, into old: String?, digest: String?) -> String? {
        guard let old, !old.isEmpty else { return section }
        let (first, last) = (old.range(of: begin), old.range(of: end))
        if first == nil, last == nil { return old + (old.hasSuffix("\n") ? "\n" : "\n\n") + section }
        guard let first, let last, first.lowerBound < last.lowerBound else { return nil }
        var range = first.lowerBound..<last.upperBound
        if old[range.upperBound...].hasPrefix("\n") { range = range.lowerBound..<old.index(after: range.upperBound) }
        let found = String(old[range])
        guard found == section || Digest.text(found.utf8) == digest else { return nil }
        return old.replacingCharacters(in: range, with: section)
    }
}
