// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Localized texts by keys with values, which Foundation has on Apple's systems only.

public import Foundation

extension String {
    /// A key with values, written as a string literal: "\(count) items" has the key "%lld items".
    ///
    /// ```swift
    /// let title = String(localized: "\(count) items")
    /// ```
    public struct LocalizationValue: Hashable, Sendable, ExpressibleByStringInterpolation {
        /// The key in the table of texts.
        let key: String
        /// The text of each value.
        let values: [String]

        /// A key without values.
        public init(stringLiteral value: String) { (key, values) = (value, []) }

        /// A key without values.
        public init(_ value: String) { (key, values) = (value, []) }

        /// A key with values.
        public init(stringInterpolation: StringInterpolation) {
            (key, values) = (stringInterpolation.key, stringInterpolation.values)
        }

        /// Collects the parts of a literal.
        public struct StringInterpolation: StringInterpolationProtocol, Sendable {
            var key = ""
            var values: [String] = []

            /// Begins a literal.
            public init(literalCapacity: Int, interpolationCount: Int) {}

            /// Adds a part of the key.
            public mutating func appendLiteral(_ literal: String) {
                key += literal.replacingOccurrences(of: "%", with: "%%")
            }

            /// Adds a whole number, with "%lld" in the key.
            public mutating func appendInterpolation<Number: FixedWidthInteger>(_ value: Number) {
                append("%lld", "\(value)")
            }

            /// Adds a number, with "%lf" in the key and six digits after the point in the text.
            public mutating func appendInterpolation(_ value: Double) { append("%lf", String(format: "%lf", value)) }

            /// Adds a value by its description, with "%@" in the key.
            public mutating func appendInterpolation<Value>(_ value: Value) { append("%@", "\(value)") }

            private mutating func append(_ mark: String, _ text: String) {
                key += mark
                values.append(text)
            }
        }
    }

    /// The text of a key in a table of a bundle, with its values.
    ///
    /// - Parameters:
    ///   - table: the name of a `.strings` file; nil means `Localizable`.
    ///   - bundle: nil means the program's.
    ///   - comment: for translators.
    public init(
        localized key: LocalizationValue, table: String? = nil, bundle: Bundle? = nil, locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        self.init(
            localized: key, table, bundle ?? .main, fallback: nil)
    }

    /// The text of a key that is not the default text.
    public init(
        localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let named = LocalizationValue(key: "\(key)", values: defaultValue.values)
        self.init(localized: named, table, bundle ?? .main, fallback: defaultValue.key)
    }

    /// The text of a resource.
    public init(localized resource: LocalizedStringResource) {
        self.init(localized: resource.value, resource.table, .main, fallback: resource.defaultText)
    }

    fileprivate init(localized value: LocalizationValue, _ table: String?, _ bundle: Bundle, fallback: String?) {
        let format = bundle.localizedString(forKey: value.key, value: fallback ?? value.key, table: table)
        self = LocalizationValue.text(format, value.values)
    }
}

extension String.LocalizationValue {
    init(key: String, values: [String]) { (self.key, self.values) = (key, values) }

    /// Replaces the marks of a format by texts. A mark may name the number of its value: "%2$@".
    static func text(_ format: String, _ values: [String]) -> String {
        var (text, rest, next) = ("", format[...], 0)
        while let sign = rest.firstIndex(of: "%") {
            text += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.first == "%" {
                text += "%"
                rest = rest.dropFirst()
            } else if let mark = rest.prefixMatch(of: /(?:(\d+)\$)?(?:@|l*[diuf]|\.?\d*l*f)/) {
                let number = mark.output.1.flatMap { Int($0) }.map { $0 - 1 } ?? next
                if number == next { next += 1 }
                text += values.indices.contains(number) ? values[number] : ""
                rest = rest[mark.range.upperBound...]
            } else {
                text += "%"
            }
        }
        return text + rest
    }
}
