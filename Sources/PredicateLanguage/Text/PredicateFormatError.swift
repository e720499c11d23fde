// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The error of a malformed predicate text, with its position.

/// The reason why a format is not a valid predicate or expression. The description marks the position with a caret.
public struct PredicateFormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, as a sentence.
    public let message: String
    /// The position in Unicode scalars from the start of the format.
    public let offset: Int
    /// The whole format.
    public let format: String

    package init(_ message: String, format: String, offset: Int) {
        self.message = message
        self.format = format
        self.offset = offset
    }

    /// The reason, then the part of the format around the position, with a caret below it.
    public var description: String {
        "\(message)\n\(excerpt)"
    }

    // A part of the text around the position, because a caret under a wrapped line would be misplaced.
    private var excerpt: String {
        let scalars = Array(format.unicodeScalars)
        let place = min(max(offset, 0), scalars.count)
        let start = max(0, place - 60)
        let end = min(scalars.count, place + 60)
        var line = String.UnicodeScalarView()
        for scalar in scalars[start..<end] {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return "    \(String(line))\n    \(String(repeating: " ", count: place - start))^"
    }
}
