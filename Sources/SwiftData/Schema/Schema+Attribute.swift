// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Attributes of a schema, and their options.

import Foundation

extension Schema {
    /// A property that is a value.
    public class Attribute: SchemaProperty, Codable, Hashable, CustomDebugStringConvertible {
        /// The property's name.
        public var name: String
        /// The name in older versions.
        public var originalName: String
        /// The type in the class.
        public var valueType: any Any.Type
        /// The initial value.
        public var defaultValue: Any?
        /// The options.
        public var options: [Option]
        /// Any text; another one makes another version.
        public var hashModifier: String?

        /// The options of a property. Its name and type come from the class.
        public nonisolated init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            name = ""
            self.originalName = originalName ?? ""
            valueType = Never.self
            self.options = options
            self.hashModifier = hashModifier
        }

        /// An attribute that is described by hand.
        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
            defaultValue: Any? = nil, hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName ?? name
            self.options = options
            self.valueType = valueType
            self.defaultValue = defaultValue
            self.hashModifier = hashModifier
        }

        /// True.
        public var isAttribute: Bool { true }
        /// Whether a transformer makes data of the value.
        public var isTransformable: Bool {
            transformerName != nil || options.contains { $0.kind == .transformable(nil) }
        }
        /// Whether no two records may have the same value.
        public var isUnique: Bool { has(.unique) }
        /// Whether it is tracked, and not stored.
        public var isTransient: Bool { has(.ephemeral) }

        func has(_ option: Option) -> Bool { options.contains(option) }

        /// Whether it is JSON because of its mark.
        var isJSON: Bool { has(.codable) && ValueForms.form(of: valueType).mayBeJSON }

        var transformerName: String? {
            for case .transformable(let name?) in options.map(\.kind) { return name }
            return nil
        }

        private enum CodingKeys: String, CodingKey { case name, originalName, options, valueType, hashModifier }

        /// Reads an attribute; default values are not in files.
        public required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            originalName = try container.decode(String.self, forKey: .originalName)
            options = try container.decode([Option].self, forKey: .options)
            valueType = TypeName.type(try container.decode(String.self, forKey: .valueType))
            hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
        }

        /// Writes everything but the default value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(originalName, forKey: .originalName)
            try container.encode(options, forKey: .options)
            try container.encode(TypeName.text(valueType), forKey: .valueType)
            try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
        }

        /// By name, type and options.
        public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
            lhs.name == rhs.name && lhs.originalName == rhs.originalName && lhs.options == rhs.options
                && TypeName.text(lhs.valueType) == TypeName.text(rhs.valueType) && lhs.hashModifier == rhs.hashModifier
        }

        /// By name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// Name, type and options.
        public var debugDescription: String {
            "\(name): \(valueType)" + (options.isEmpty ? "" : " \(options.map(\.debugDescription))")
        }
    }

    /// An attribute of several elements: a structure, or an enumeration.
    public class CompositeAttribute: Attribute {
        /// The elements, in declared order.
        public var properties: [Attribute] = []

        /// A composite that is described by hand.
        public override init(
            name: String, originalName: String?, options: [Option], valueType: any Any.Type, defaultValue: Any?,
            hashModifier: String?
        ) {
            super.init(
                name: name, originalName: originalName, options: options, valueType: valueType,
                defaultValue: defaultValue, hashModifier: hashModifier)
        }

        private enum CodingKeys: String, CodingKey { case properties }

        /// Reads a composite with its elements.
        public required init(from decoder: any Decoder) throws {
            properties = try decoder.container(keyedBy: CodingKeys.self).decode([Attribute].self, forKey: .properties)
            try super.init(from: decoder)
        }

        /// Writes the elements, too.
        public override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(properties, forKey: .properties)
        }

        /// By the elements, too.
        public static func == (lhs: CompositeAttribute, rhs: CompositeAttribute) -> Bool {
            (lhs as Attribute) == (rhs as Attribute) && lhs.properties == rhs.properties
        }

        /// With the elements.
        public override var debugDescription: String {
            "\(super.debugDescription) { \(properties.map(\.debugDescription).joined(separator: "; ")) }"
        }
    }
}

extension Schema.Attribute {
    /// An option of an attribute.
    public struct Option: Hashable, Codable, CustomDebugStringConvertible, Sendable {
        enum Kind: Hashable, Codable {
            case unique, externalStorage, allowsCloudEncryption, ephemeral, spotlight, preserveValueOnDeletion, codable
            case transformable(String?)
        }

        let kind: Kind

        /// A new model with a value that a record has updates that record when it is saved.
        public nonisolated static var unique: Option { Option(kind: .unique) }
        /// Large data may be kept in a file next to the store.
        public nonisolated static var externalStorage: Option { Option(kind: .externalStorage) }
        /// Kept in the model; it has no effect here.
        public nonisolated static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
        /// Tracked, with undo, and not stored.
        public nonisolated static var ephemeral: Option { Option(kind: .ephemeral) }
        /// Full-text search reads the property, a text: see `FetchDescriptor.searching(_:)`.
        public nonisolated static var spotlight: Option { Option(kind: .spotlight) }
        /// The history keeps the last value of deleted records.
        public nonisolated static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
        /// One column with the encoded value, as JSON. Predicates look into it in memory, and sorting cannot. It has no
        /// effect on types that are one value in a column anyway, such as `Int`, `String` and `URL`.
        public nonisolated static var codable: Option { Option(kind: .codable) }

        /// A transformer makes data of the value. It is registered under the name of its class, unless it was before.
        public nonisolated static func transformable(by transformerType: ValueTransformer.Type) -> Option {
            let name = String(describing: transformerType)
            if ValueTransformer(forName: NSValueTransformerName(rawValue: name)) == nil {
                ValueTransformer.setValueTransformer(
                    transformerType.init(), forName: NSValueTransformerName(rawValue: name))
            }
            return Option(kind: .transformable(name))
        }

        /// A registered transformer makes data of the value.
        public nonisolated static func transformable(by transformerName: String) -> Option {
            Option(kind: .transformable(transformerName))
        }

        /// The option's name.
        public var debugDescription: String {
            if case .transformable(let name) = kind { return "transformable(\(name ?? ""))" }
            return "\(kind)"
        }
    }
}
