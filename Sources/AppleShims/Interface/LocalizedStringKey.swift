// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The key of a localized text that models of views keep for them.

/// The key of a text that a view shows on Apple's systems. Here it is a value that can be compared.
///
/// ```swift
/// var errorMessage: LocalizedStringKey? = "error.offline"
/// ```
public struct LocalizedStringKey: Hashable, Sendable, ExpressibleByStringInterpolation {
    private let value: String.LocalizationValue

    /// A key without values.
    public init(_ value: String) { self.value = String.LocalizationValue(value) }

    /// A key without values.
    public init(stringLiteral value: String) { self.init(value) }

    /// A key with values.
    public init(stringInterpolation: String.LocalizationValue.StringInterpolation) {
        value = String.LocalizationValue(stringInterpolation: stringInterpolation)
    }
}
