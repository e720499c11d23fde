// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the difference of two texts in the format of `diff -u`.

package enum UnifiedDiff {
    private struct Line {
        var sign: Character
        var text: Substring
    }

    /// - Returns: "" for equal texts.
    package static func text(_ old: String, _ new: String, name: String, context: Int = 3) -> String {
        let (before, after) = (
            old.split(separator: "\n", omittingEmptySubsequences: false),
            new.split(separator: "\n", omittingEmptySubsequences: false)
        )
        let lines = merged(before, after)
        let changed = lines.indices.filter { lines[$0].sign != " " }
        guard let first = changed.first else { return "" }
        var hunks = [max(0, first - context)..<min(lines.count, first + context + 1)]
        for index in changed.dropFirst() {
            let range = max(0, index - context)..<min(lines.count, index + context + 1)
            if range.lowerBound <= hunks[hunks.count - 1].upperBound {
                hunks[hunks.count - 1] = hunks[hunks.count - 1].lowerBound..<range.upperBound
            } else {
                hunks.append(range)
            }
        }
        let bodies = hunks.map { range in
            let part = lines[range]
            func place(_ sign: Character) -> String {
                let start = lines[..<range.lowerBound].count { $0.sign != sign }
                return "\(start + 1),\(part.count { $0.sign != sign })"
            }
            return (["@@ -\(place("+")) +\(place("-")) @@"] + part.map { "\($0.sign)\($0.text)" }).joined(
                separator: "\n")
        }
        return "--- \(name)\n+++ \(name)\n\(bodies.joined(separator: "\n"))\n"
    }

    /// All lines, with deleted ones before their replacements.
    private static func merged(_ old: [Substring], _ new: [Substring]) -> [Line] {
        var (removed, inserted) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [Line] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if removed.contains(i) {
                lines.append(Line(sign: "-", text: old[i]))
                i += 1
            } else if inserted.contains(j) {
                lines.append(Line(sign: "+", text: new[j]))
                j += 1
            } else {
                lines.append(Line(sign: " ", text: old[i]))
                (i, j) = (i + 1, j + 1)
            }
        }
        return lines
    }
}
