// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The edit distance of two words, for spelling suggestions.

package enum EditDistance {
    /// The name that a word was probably meant to be; nil if none is similar.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let near = names.map { (name: $0, distance: between(word.lowercased(), $0.lowercased())) }
            .min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= max(2, word.count / 3) ? $0.name : nil }
    }

    /// The least number of insertions, deletions, replacements and swaps of adjacent letters that convert one word
    /// to the other.
    package static func between(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var rows = [Array(0...other.count)]
        for row in 0..<one.count {
            var next = [row + 1]
            for column in 0..<other.count {
                let replaced = rows[row][column] + (one[row] == other[column] ? 0 : 1)
                var least = min(replaced, rows[row][column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    least = min(least, rows[row - 1][column - 1] + 1)
                }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[one.count][other.count]
    }
}
