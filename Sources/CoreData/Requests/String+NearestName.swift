// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the name most similar to a misspelt one.

extension String {
    /// For messages, between the sentence that names the mistake and the list of the names: " Did you mean 'number'?",
    /// empty if no name is near.
    func hint(among names: [String]) -> String {
        guard let nearest = nearest(among: names) else { return "" }
        return " Did you mean '\(nearest)'?"
    }

    /// The name with the fewest typing errors: a missing, extra or wrong letter, or two transposed ones; case is
    /// ignored. nil if every third letter would have to be wrong.
    func nearest(among names: [String]) -> String? {
        let wanted = Array(lowercased().unicodeScalars.prefix(Self.longest))
        let slips = names.map {
            (name: $0, count: Self.slips(wanted, Array($0.lowercased().unicodeScalars.prefix(Self.longest))))
        }
        guard let best = slips.min(by: { ($0.count, $0.name) < ($1.count, $1.name) }) else { return nil }
        return best.count <= Swift.max(1, wanted.count / 3) ? best.name : nil
    }

    /// Names may come from any input, and the work grows with the square of this length.
    private static let longest = 100

    private static func slips(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        if one.isEmpty || other.isEmpty { return one.count + other.count }
        var last: [Int] = []
        var previous = Array(0...other.count)
        for row in one.indices {
            var current = [row + 1]
            for column in other.indices {
                let same = one[row] == other[column]
                var slips = Swift.min(previous[column] + (same ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    slips = Swift.min(slips, last[column - 1] + 1)
                }
                current.append(slips)
            }
            (last, previous) = (previous, current)
        }
        return previous[other.count]
    }
}

extension EntityLayout {
    /// For messages about a misspelt property: the nearest name, then all names.
    func names(near key: String) -> String {
        if properties.isEmpty { return " It has no properties." }
        return "\(key.hint(among: properties.map(\.name))) It has \(propertyList)."
    }
}
