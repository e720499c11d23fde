// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of value transformers.

/// The name of a registered value transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name itself, as in model files.
    public let rawValue: String

    /// Creates a name, without a label.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates a name. It need not be registered yet.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Converts true to false and false to true; reversible.
    public static let negateBooleanTransformerName = Self("NSNegateBoolean")
    /// Converts nil to true and any other value to false; not reversible.
    public static let isNilTransformerName = Self("NSIsNil")
    /// Converts nil to false and any other value to true; not reversible.
    public static let isNotNilTransformerName = Self("NSIsNotNil")
    /// Archives without secure coding; kept for old models.
    public static let unarchiveFromDataTransformerName = Self("NSUnarchiveFromData")
    /// Archives without secure coding; kept for old models.
    public static let keyedUnarchiveFromDataTransformerName = Self("NSKeyedUnarchiveFromData")
    /// Converts values to keyed archives and back, with secure coding: archives of other classes are refused.
    public static let secureUnarchiveFromDataTransformerName = Self("NSSecureUnarchiveFromData")
}
