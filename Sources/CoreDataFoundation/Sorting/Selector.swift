// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The name of a method, which replaces Objective-C's selectors.

/// The name of a method, for `NSSortDescriptor(key:ascending:selector:)`: `"localizedStandardCompare:"`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// With colons.
    public let description: String

    /// Creates a selector from a name with colons. Any name is accepted; its user traps if there is no such method.
    public init(_ name: String) { description = name }
    /// Creates a selector from a literal, as in `"localizedStandardCompare:"`.
    public init(stringLiteral name: String) { description = name }
}

extension Selector {
    /// The key that a setter's selector sets: "title" for `setTitle:`, "URL" for `setURL:`; nil for other selectors.
    var keyOfSetter: String? {
        guard description.hasPrefix("set"), description.hasSuffix(":") else { return nil }
        let name = description.dropFirst(3).dropLast()
        guard let first = name.first, first.isUppercase, !name.contains(":") else { return nil }
        if name.dropFirst().first?.isUppercase == true { return String(name) }
        return first.lowercased() + name.dropFirst()
    }
}
