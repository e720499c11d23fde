// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts that all properties of a schema share, and the declaration of each by its class.

import Foundation

/// An attribute, a relationship, or a list of properties.
public protocol SchemaProperty: Hashable {
    /// The property's name.
    var name: String { get set }
    /// The name in older versions; the name itself if it has not changed.
    var originalName: String { get set }
    /// The type in the class.
    var valueType: any Any.Type { get set }
    /// Whether it is an attribute.
    var isAttribute: Bool { get }
    /// Whether it is a relationship.
    var isRelationship: Bool { get }
    /// Whether it is tracked, and not stored.
    var isTransient: Bool { get }
    /// Whether the type is an optional.
    var isOptional: Bool { get }
    /// Whether no two records may have the same value.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    /// False.
    public var isAttribute: Bool { false }
    /// False.
    public var isRelationship: Bool { false }
    /// False.
    public var isTransient: Bool { false }
    /// Whether the type is an optional.
    public var isOptional: Bool { ValueForms.isOptional(valueType) }
    /// False.
    public var isUnique: Bool { false }
}

extension Schema {
    // Sendable: key paths of classes capture nothing, and default values are only read.
    /// The description of one property, or of a list of properties, in its class.
    public struct PropertyMetadata: @unchecked Sendable {
        /// The property's name; empty for a list.
        public let name: String
        /// The property's key path.
        public let keypath: AnyKeyPath
        /// The initial value, if there is one.
        public let defaultValue: Any?
        /// The options; nil for a property without a mark.
        public let metadata: (any SchemaProperty)?

        /// The description of one property in its class.
        public nonisolated init(
            name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
        ) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }

        /// The initial value has the property's type, as in the class. Not for direct use.
        public nonisolated static func _of<Root, Value>(
            _ name: String, _ keyPath: KeyPath<Root, Value>, default value: Value,
            _ metadata: (any SchemaProperty)? = nil
        ) -> PropertyMetadata {
            PropertyMetadata(name: name, keypath: keyPath, defaultValue: value, metadata: metadata)
        }

        /// A property without an initial value. Not for direct use.
        public nonisolated static func _of<Root, Value>(
            _ name: String, _ keyPath: KeyPath<Root, Value>, _ metadata: (any SchemaProperty)? = nil
        ) -> PropertyMetadata {
            PropertyMetadata(name: name, keypath: keyPath, defaultValue: nil, metadata: metadata)
        }
    }
}

/// A type as text, for schemas in files.
enum TypeName {
    private static let known: [any Any.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
        UInt64.self, Double.self, Float.self, CGFloat.self, Bool.self, String.self, Date.self, Data.self, UUID.self,
        URL.self, Decimal.self, [String].self, [Int].self,
        Int?.self, Int8?.self, Int16?.self, Int32?.self, Int64?.self, Double?.self, Float?.self, CGFloat?.self,
        Bool?.self, String?.self, Date?.self, Data?.self, UUID?.self, URL?.self, Decimal?.self,
    ]

    static func text(_ type: any Any.Type) -> String { String(reflecting: type) }

    /// A type that is not found has no values here.
    static func type(_ text: String) -> any Any.Type {
        known.first { self.text($0) == text } ?? (text.hasPrefix("Swift.Optional<") ? Never?.self : Never.self)
    }
}
