// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The comparisons of sort descriptors.

package import Foundation

/// A comparison of values with nil first; raw values are the selectors in Apple's descriptors.
package enum SortComparison: String, Sendable, CaseIterable {
    case standard = "compare:"
    case caseInsensitive = "caseInsensitiveCompare:"
    case localized = "localizedCompare:"
    case localizedCaseInsensitive = "localizedCaseInsensitiveCompare:"
    /// The order of file lists: numbers in the text are compared as numbers.
    case localizedStandard = "localizedStandardCompare:"

    private static let folding = StringFolding(.caseInsensitive)

    /// Values that are not strings are ordered by value, for every comparison.
    package func order(_ left: ComparableValue, _ right: ComparableValue) -> ComparisonResult {
        switch (left, right) {
        case (.null, .null): .orderedSame
        case (.null, _): .orderedAscending
        case (_, .null): .orderedDescending
        case (.string(let left), .string(let right)): order(left, right)
        case (.object(let left), .object(let right)): Self.order(left, right)
        default: ValueComparison.order(left, right) ?? .orderedSame
        }
    }

    private static func order(_ left: AnyObject, _ right: AnyObject) -> ComparisonResult {
        guard let left = left as? any IdentityOrdered, let right = right as? any IdentityOrdered else {
            return ValueComparison.order(.object(left), .object(right)) ?? .orderedSame
        }
        return NumberComparison.ordering(left.identityOrder, right.identityOrder)
    }

    /// The order of two strings; SQL collations call it.
    package func order(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .standard: ValueComparison.byteOrder(left, right)
        case .caseInsensitive: Self.folding.compare(left, right)
        case .localized: left.localizedCompare(right)
        case .localizedCaseInsensitive: left.localizedCaseInsensitiveCompare(right)
        case .localizedStandard: left.localizedStandardCompare(right)
        }
    }
}

extension ComparisonResult {
    package func directed(ascending: Bool) -> ComparisonResult {
        if ascending { return self }
        return switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}
