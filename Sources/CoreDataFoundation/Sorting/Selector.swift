// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names a method, where there is no Objective-C to have selectors.

/// The name of a method, as `NSSortDescriptor(key:ascending:selector:)` takes it: `"localizedStandardCompare:"`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// With colons.
    public let description: String

    public init(_ name: String) { description = name }
    public init(stringLiteral name: String) { description = name }
}
