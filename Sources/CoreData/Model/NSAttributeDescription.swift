// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property that holds a value, such as a number, text, date or data.

import Foundation

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// The type of the attribute's values. `undefinedAttributeType`, which only transient attributes may
    /// have, unless set.
    open var attributeType: NSAttributeType = .undefinedAttributeType { willSet { assertMutable() } }

    /// The same as `attributeType`, in Apple's newer API.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                preconditionFailure(
                    "There is no attribute type \(newValue.rawValue): use one of the constants of AttributeType.")
            }
            attributeType = type
        }
    }

    /// The name of the Foundation class of values ("NSNumber", "NSString" ...); nil for types with values of any class.
    open var attributeValueClassName: String? {
        get { explicitValueClassName ?? attributeType.valueClassName }
        set {
            assertMutable()
            explicitValueClassName = newValue
        }
    }

    /// The initial value of new objects; nil means none. Numbers of a loaded model are `NSNumber`.
    open var defaultValue: Any? { willSet { assertMutable() } }

    /// The value of new objects, and of records without a value that a migration fills: the default value. For a
    /// composite attribute without one, the default values of its elements.
    var initialValue: Any? { defaultValue }

    /// The `ValueTransformer` that converts the value of a transformable attribute to data; nil means a keyed archive.
    open var valueTransformerName: String? { willSet { assertMutable() } }

    /// Whether a store may keep large data in an external file.
    open var allowsExternalBinaryDataStorage: Bool = false { willSet { assertMutable() } }

    /// Whether persistent history keeps the last value of deleted objects.
    open var preservesValueInHistoryOnDeletion: Bool = false { willSet { assertMutable() } }

    final var explicitValueClassName: String?
    /// Has no effect. Kept so that model files do not lose it.
    final var allowsCloudEncryption = false { willSet { assertMutable() } }

    override func makeEmptyCopy() -> NSPropertyDescription { NSAttributeDescription() }

    override func takeValues(of other: NSPropertyDescription) {
        super.takeValues(of: other)
        guard let other = other as? NSAttributeDescription else { return }
        attributeType = other.attributeType
        explicitValueClassName = other.explicitValueClassName
        defaultValue = other.defaultValue
        valueTransformerName = other.valueTransformerName
        allowsExternalBinaryDataStorage = other.allowsExternalBinaryDataStorage
        preservesValueInHistoryOnDeletion = other.preservesValueInHistoryOnDeletion
        allowsCloudEncryption = other.allowsCloudEncryption
    }
}
