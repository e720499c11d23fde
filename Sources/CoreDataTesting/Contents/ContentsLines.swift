// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares two texts of contents by their objects.

/// The lines of a text, by object: a line without an indentation begins an object.
struct ContentsLines {
    private struct Part {
        let head: String
        var lines: [String] = []
    }

    private var parts: [Part] = []

    init(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) {
            if line.hasPrefix(" "), !parts.isEmpty {
                parts[parts.count - 1].lines.append(line)
            } else {
                parts.append(Part(head: line))
            }
        }
    }

    func difference(from other: ContentsLines) -> [String] {
        let (ours, theirs) = (byHead, other.byHead)
        return Set(ours.keys).union(theirs.keys).sorted().flatMap { head -> [String] in
            let (mine, expected) = (ours[head] ?? [], theirs[head] ?? [])
            var lines: [String] = []
            for index in 0..<max(mine.count, expected.count) {
                switch (index < mine.count ? mine[index] : nil, index < expected.count ? expected[index] : nil) {
                case (let part?, nil): lines += (["\(head)"] + part).map { "+ \($0)" }
                case (nil, let part?): lines += (["\(head)"] + part).map { "- \($0)" }
                case (let part?, let other?) where part != other: lines += [head] + Self.changes(other, part)
                default: break
                }
            }
            return lines
        }
    }

    /// The lines of all objects with the same head.
    private var byHead: [String: [[String]]] {
        Dictionary(grouping: parts, by: \.head).mapValues { $0.map(\.lines) }
    }

    /// Lines of properties are in the order of their names on both sides.
    private static func changes(_ old: [String], _ new: [String]) -> [String] {
        let removed = old.filter { !new.contains($0) }.map { "- \($0)" }
        let added = new.filter { !old.contains($0) }.map { "+ \($0)" }
        return (removed + added).sorted {
            ($0.dropFirst(2), $1.first == "-" ? 1 : 0) < ($1.dropFirst(2), $0.first == "-" ? 1 : 0)
        }
    }
}
