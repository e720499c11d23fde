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
    /// The bundle with the table.
    public enum BundleDescription: Hashable, Sendable {
        /// The program's, with the targets of its package.
        case main
        /// The bundle at a place of the disk.
        case atURL(URL)

        /// The program's: on Linux classes have no other bundle.
        public static func forClass(_ type: AnyClass) -> BundleDescription { .main }

        /// nil for the program's, and for a place without a bundle.
        var bundle: Bundle? {
            switch self {
            case .main: nil
            case .atURL(let url): Bundle(url: url)
            }
        }
    }

    let value: String.LocalizationValue
    let defaultText: String?
    /// The name of the table; nil means `Localizable`.
    public let table: String?
    /// The bundle with the table.
    public let bundle: BundleDescription

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
        _ key: String.LocalizationValue, table: String? = nil, locale: Locale = .current,
        bundle: BundleDescription = .main, comment: StaticString? = nil
    ) {
        (value, defaultText, self.table, self.bundle) = (key, nil, table, bundle)
    }

    /// A key that is not the default text.
    public init(
        _ key: StaticString, defaultValue: String.LocalizationValue, table: String? = nil, locale: Locale = .current,
        bundle: BundleDescription = .main, comment: StaticString? = nil
    ) {
        value = String.LocalizationValue(key: "\(key)", values: defaultValue.values)
        (defaultText, self.table, self.bundle) = (defaultValue.key, table, bundle)
    }
}
