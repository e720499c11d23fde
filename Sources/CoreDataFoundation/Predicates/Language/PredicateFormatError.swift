// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Says where and why a predicate's text is not understood.

/// Why a format is no predicate or expression. The description shows the place with a caret.
public struct PredicateFormatError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as a sentence.
    public let message: String
    /// In Unicode scalars from the start of the format.
    public let offset: Int
    public let format: String

    package init(_ message: String, format: String, offset: Int) {
        self.message = message
        self.format = format
        self.offset = offset
    }

    public var description: String {
        "\(message)\n\(excerpt)"
    }

    // A window of the text, because a caret under a wrapped line points nowhere.
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
