// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes findings for users: a paragraph for each, and a last line with their numbers.

/// The text of an examination.
package struct FindingText {
    package let text: String

    /// - Parameter width: the width of a terminal, to which lines are folded; nil without one.
    package init(_ findings: [Finding], isColored: Bool, width: Int?) {
        guard !findings.isEmpty else {
            text = "The store is sound.\n"
            return
        }
        var text = ""
        for finding in findings {
            let place = [finding.entity, finding.property].compactMap { $0 }.joined(separator: ".")
            let head =
                "\(Self.label(finding.severity, isColored)) \(finding.rule)\(place.isEmpty ? "" : "  \(place)")\n"
            text += head + Self.folded(finding.text, width)
            text += Self.folded("In an app: \(finding.consequence)", width)
            if !finding.objects.isEmpty {
                let more = finding.count - finding.objects.count
                text += Self.folded(
                    "Objects: \(finding.objects.joined(separator: " "))\(more > 0 ? " and \(more) more" : "")", width)
            }
            if let command = finding.command { text += "  Mend: \(command)\n" }
            text += "\n"
        }
        self.text = text + Self.summary(findings) + "\n"
    }

    /// "2 errors, 1 warning, 1 note"
    package static func summary(_ findings: [Finding]) -> String {
        Finding.Severity.allCases.compactMap { severity in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }

    private static func label(_ severity: Finding.Severity, _ isColored: Bool) -> String {
        guard isColored else { return severity.rawValue }
        let color =
            switch severity {
            case .error: "31"
            case .warning: "33"
            case .note: "36"
            }
        return "\u{1B}[1;\(color)m\(severity.rawValue)\u{1B}[0m"
    }

    /// Lines with two spaces before them, folded between words.
    private static func folded(_ text: String, _ width: Int?) -> String {
        FoldedText.text(text, width: width, first: "  ")
    }
}
