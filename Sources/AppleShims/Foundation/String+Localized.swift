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
        let values: [LocalizedArgument]

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
            var values: [LocalizedArgument] = []

            /// Begins a literal.
            public init(literalCapacity: Int, interpolationCount: Int) {}

            /// Adds a part of the key.
            public mutating func appendLiteral(_ literal: String) {
                key += literal.replacingOccurrences(of: "%", with: "%%")
            }

            /// Adds a whole number, with "%lld" in the key.
            public mutating func appendInterpolation<Number: FixedWidthInteger>(_ value: Number) {
                append("%lld", "\(value)", Double(value))
            }

            /// Adds a number, with "%lf" in the key and six digits after the point in the text.
            public mutating func appendInterpolation(_ value: Double) {
                append("%lf", String(format: "%lf", value), value)
            }

            /// Adds a number in the form of a mark such as "%.1f", which is in the key.
            public mutating func appendInterpolation(_ value: Double, specifier: String) {
                append(specifier, String(format: specifier, value), value)
            }

            /// Adds a whole number in the form of a mark such as "%02lld", which is in the key.
            public mutating func appendInterpolation<Number: FixedWidthInteger>(_ value: Number, specifier: String) {
                append(specifier, String(format: specifier, Int64(clamping: value)), Double(value))
            }

            /// Adds a value in the form of a style, with "%@" in the key.
            public mutating func appendInterpolation<Style: FormatStyle>(_ value: Style.FormatInput, format: Style)
            where Style.FormatOutput == String {
                append("%@", format.format(value))
            }

            /// Adds a value by its description, with "%@" in the key.
            public mutating func appendInterpolation<Value>(_ value: Value) { append("%@", "\(value)") }

            private mutating func append(_ mark: String, _ text: String, _ number: Double? = nil) {
                key += mark
                values.append(LocalizedArgument(text, number: number))
            }
        }
    }

    /// The text of a key in a table of a bundle, with its values.
    ///
    /// - Parameters:
    ///   - table: the name of a table; nil means `Localizable`.
    ///   - bundle: nil means the program's, with the targets of its package.
    ///   - comment: for translators.
    public init(
        localized key: LocalizationValue, table: String? = nil, bundle: Bundle? = nil, locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        self.init(key, table, bundle, fallback: nil)
    }

    /// The text of a key that is not the default text.
    public init(
        localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let named = LocalizationValue(key: "\(key)", values: defaultValue.values)
        self.init(named, table, bundle, fallback: defaultValue.key)
    }

    /// The text of a resource.
    public init(localized resource: LocalizedStringResource) {
        self.init(resource.value, resource.table, resource.bundle.bundle, fallback: resource.defaultText)
    }

    private init(_ value: LocalizationValue, _ table: String?, _ bundle: Bundle?, fallback: String?) {
        let format = LocalizedTables.format(value.key, table, bundle) ?? fallback ?? value.key
        self = LocalizedFormat.text(format, value.values)
    }
}

extension String.LocalizationValue {
    init(key: String, values: [LocalizedArgument]) { (self.key, self.values) = (key, values) }
}
