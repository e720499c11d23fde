// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Markup as a type: literals in the source are markup, and every text that is put into them is escaped. Studio-S6.

import CoreDataToolKit

/// A piece of markup.
///
/// ```swift
/// let link: HTML = "<a href=\"\(address)\">\(title)</a>"     // address and title are escaped
/// ```
/// Attribute values are in double quotes, always. There is no way from a `String` to markup but by escaping.
struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
    private(set) var text: String

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// A literal of the source: it cannot be made of a value.
        mutating func appendLiteral(_ literal: StaticString) { text += "\(literal)" }
        mutating func appendInterpolation(_ string: some StringProtocol) { HTML.escape(string, into: &text) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }
        mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { text += part.text }
        }

        /// A coordinate in a drawing.
        mutating func appendInterpolation(_ number: Double) {
            text += JSONValue.numberText((number * 10).rounded() / 10)
        }
    }

    init(stringLiteral value: StaticString) { text = "\(value)" }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    static let nothing: HTML = ""

    static func + (one: HTML, other: HTML) -> HTML { "\(one)\(other)" }

    /// Escapes for text and for attribute values in double quotes. Characters that HTML forbids become U+FFFD.
    private static func escape(_ string: some StringProtocol, into text: inout String) {
        for scalar in string.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Sequence {
    /// The pieces of markup for all elements, one after the other.
    func html(_ piece: (Element) throws -> HTML) rethrows -> HTML { "\(try map(piece))" }
}
