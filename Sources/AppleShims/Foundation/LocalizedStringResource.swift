// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A reference to a localized text.

public import Foundation

/// A reference to a localized text, which is looked up later.
///
/// ```swift
/// let title: LocalizedStringResource = "\(count) items"
/// print(String(localized: title))
/// ```
public struct LocalizedStringResource: Hashable, Sendable, ExpressibleByStringInterpolation {
    let value: String.LocalizationValue
    let defaultText: String?
    /// The name of the `.strings` file; nil means `Localizable`.
    public let table: String?

    /// The key in the table.
    public var key: String { value.key }

    /// A key without values.
    public init(stringLiteral value: String) { self.init(String.LocalizationValue(stringLiteral: value)) }

    /// A key with values.
    public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
        self.init(String.LocalizationValue(stringInterpolation: stringInterpolation))
    }

    /// A key with values.
    public init(
        _ key: String.LocalizationValue, table: String? = nil, locale: Locale = .current, comment: StaticString? = nil
    ) {
        (value, defaultText, self.table) = (key, nil, table)
    }

    /// A key that is not the default text.
    public init(
        _ key: StaticString, defaultValue: String.LocalizationValue, table: String? = nil, locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        value = String.LocalizationValue(key: "\(key)", values: defaultValue.values)
        (defaultText, self.table) = (defaultValue.key, table)
    }
}
