// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Places the numbers at the ends of lines so that none covers another. Studio-P2.

/// A number at the end of a line.
struct PictureLabel {
    private static let letter = 6.8
    private static let height = 12.0

    var text: String
    /// The place where the text begins or ends.
    var x: Double
    /// The base line of the text.
    var y: Double
    /// Whether the text is to the right of the point.
    var isRight: Bool

    private var left: Double { isRight ? x : x - Double(text.count) * Self.letter }

    func overlaps(_ other: PictureLabel) -> Bool {
        left < other.left + Double(other.text.count) * Self.letter
            && other.left < left + Double(text.count) * Self.letter && abs(y - other.y) < Self.height
    }

    /// The labels in their order, each at the nearest free height.
    ///
    /// - Complexity: the square of the number of labels at one place.
    static func spread(_ labels: [PictureLabel]) -> [PictureLabel] {
        var placed: [PictureLabel] = []
        for label in labels {
            var (free, step) = (label, 0)
            while placed.contains(where: free.overlaps) {
                step += 1
                // Above and below in turn, by half the height of a text.
                free.y = label.y + Double((step + 1) / 2) * (step.isMultiple(of: 2) ? height : -height) / 2
            }
            placed.append(free)
        }
        return placed
    }
}
