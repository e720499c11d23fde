// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property that holds a value: a number, a text, a date, data.

import Foundation

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
    /// What kind of value the attribute holds. `undefinedAttributeType`, for transient attributes alone, unless set.
    open var attributeType: NSAttributeType = .undefinedAttributeType { willSet { assertMutable() } }

    /// The same as `attributeType`, in the spelling of newer code.
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

    /// The name of the Foundation class of values ("NSNumber", "NSString" ...); nil for types that hold any class.
    open var attributeValueClassName: String? {
        get { explicitValueClassName ?? attributeType.valueClassName }
        set {
            assertMutable()
            explicitValueClassName = newValue
        }
    }

    /// The value a new object starts with; nil means none. Numbers of a loaded model are `NSNumber`.
    open var defaultValue: Any? { willSet { assertMutable() } }

    /// The `ValueTransformer` that turns the value of a transformable attribute into data; nil means a keyed archive.
    open var valueTransformerName: String? { willSet { assertMutable() } }

    /// Whether a store may keep large data in a file of its own.
    open var allowsExternalBinaryDataStorage: Bool = false { willSet { assertMutable() } }

    /// Whether the history of a store keeps the last value when an object is deleted.
    open var preservesValueInHistoryOnDeletion: Bool = false { willSet { assertMutable() } }

    final var explicitValueClassName: String?
    /// Kept for files that carry it.
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
