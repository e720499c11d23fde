// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The error of a malformed search query, with its position.

/// The reason why a text is not a search query.
///
/// ```swift
/// do {
///     _ = try SearchQuery("swift AND (linux")
/// } catch {
///     print(error.message, error.offset)  // A ")" is expected, not the end. 16
/// }
/// ```
///
/// Texts of search fields are `SearchQuery(userText:)`, which never fails.
public struct SearchQueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, as a sentence.
    public let message: String
    /// The position in Unicode scalars from the start of the text.
    public let offset: Int
    /// The whole text.
    public let text: String

    /// The reason, then the part of the text around the position, with a caret below it.
    public var description: String {
        let scalars = Array(text.unicodeScalars)
        let place = min(max(offset, 0), scalars.count)
        let start = max(0, place - 60)
        var line = String.UnicodeScalarView()
        for scalar in scalars[start..<min(scalars.count, place + 60)] {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return "\(message)\n    \(String(line))\n    \(String(repeating: " ", count: place - start))^"
    }
}
