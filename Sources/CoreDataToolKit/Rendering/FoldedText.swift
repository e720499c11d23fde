// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Folds sentences between words, to the width of a terminal.

/// Text in lines of a width.
enum FoldedText {
    /// Folds a text.
    ///
    /// - Parameters:
    ///   - width: nil for one line.
    ///   - first: the beginning of the first line; all other lines are indented by as many spaces.
    static func text(_ text: String, width: Int?, first: String) -> String {
        guard let width else { return "\(first)\(text)\n" }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, TableText.width(first) + TableText.width(line) + TableText.width(String(word)) >= width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        let space = String(repeating: " ", count: TableText.width(first))
        return (lines + [line]).enumerated().map { ($0 == 0 ? first : space) + $1 + "\n" }.joined()
    }
}
