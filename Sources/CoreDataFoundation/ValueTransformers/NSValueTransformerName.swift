// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of value transformers.

/// The name of a registered value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let negateBooleanTransformerName = Self("NSNegateBoolean")
    public static let isNilTransformerName = Self("NSIsNil")
    public static let isNotNilTransformerName = Self("NSIsNotNil")
    /// Archives without secure coding; kept for old models.
    public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")
    /// Archives without secure coding; kept for old models.
    public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")
    public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
