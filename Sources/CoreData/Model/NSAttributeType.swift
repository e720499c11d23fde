// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types of attributes: raw values, Foundation classes, and accepted values.

import Foundation

/// The type of an attribute. The raw values are part of model files.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
    /// Any value; only for transient attributes.
    case undefinedAttributeType = 0
    /// A whole number of 16 bits with a sign, as `NSNumber`.
    case integer16AttributeType = 100
    /// A whole number of 32 bits with a sign, as `NSNumber`.
    case integer32AttributeType = 200
    /// A whole number of 64 bits with a sign, as `NSNumber`.
    case integer64AttributeType = 300
    /// `NSDecimalNumber`, 38 digits.
    case decimalAttributeType = 400
    /// A floating-point number of 64 bits, as `NSNumber`.
    case doubleAttributeType = 500
    /// A floating-point number of 32 bits, as `NSNumber`.
    case floatAttributeType = 600
    /// A text, as `String`.
    case stringAttributeType = 700
    /// True or false, as `NSNumber`.
    case booleanAttributeType = 800
    /// A moment, as `Date`. Stores keep the seconds since the start of 2001.
    case dateAttributeType = 900
    /// Bytes, as `Data`.
    case binaryDataAttributeType = 1000
    /// A `UUID`.
    case UUIDAttributeType = 1100
    /// A `URL`.
    case URIAttributeType = 1200
    /// Any value that a `ValueTransformer` or a keyed archive converts to data.
    case transformableAttributeType = 1800
    /// An `NSManagedObjectID`; only in results of fetch requests.
    case objectIDAttributeType = 2000
    /// A dictionary with the values of the elements, see `NSCompositeAttributeDescription`.
    case compositeAttributeType = 2100
}

extension NSAttributeDescription {
    /// The type of an attribute in Apple's newer API.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The raw value of an `NSAttributeType`.
        public var rawValue: UInt

        /// - Parameter rawValue: the raw value of an `NSAttributeType`; an attribute does not accept others.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        private init(_ type: NSAttributeType) { rawValue = type.rawValue }

        /// Undefined: any value; only for transient attributes.
        public static let undefined = AttributeType(.undefinedAttributeType)
        /// Integer 16: an `NSNumber` from -32,768 to 32,767.
        public static let integer16 = AttributeType(.integer16AttributeType)
        /// Integer 32: an `NSNumber` with the values of an `Int32`.
        public static let integer32 = AttributeType(.integer32AttributeType)
        /// Integer 64: an `NSNumber` with the values of an `Int64`.
        public static let integer64 = AttributeType(.integer64AttributeType)
        /// Decimal: an `NSDecimalNumber`, 38 digits. SQLite stores keep it as a floating-point number.
        public static let decimal = AttributeType(.decimalAttributeType)
        /// Double: an `NSNumber` of 64 bits.
        public static let double = AttributeType(.doubleAttributeType)
        /// Float: an `NSNumber` of 32 bits.
        public static let float = AttributeType(.floatAttributeType)
        /// String: an `NSString` of any length.
        public static let string = AttributeType(.stringAttributeType)
        /// Boolean: an `NSNumber`, true or false.
        public static let boolean = AttributeType(.booleanAttributeType)
        /// Date: an `NSDate`, in seconds with fractions and without a time zone.
        public static let date = AttributeType(.dateAttributeType)
        /// Binary data: an `NSData`. With `allowsExternalBinaryDataStorage`, stores may keep it in a file.
        public static let binaryData = AttributeType(.binaryDataAttributeType)
        /// UUID: an `NSUUID`.
        public static let uuid = AttributeType(.UUIDAttributeType)
        /// URI: an `NSURL`.
        public static let uri = AttributeType(.URIAttributeType)
        /// Transformable: any value that a `ValueTransformer` or a keyed archive converts to data.
        public static let transformable = AttributeType(.transformableAttributeType)
        /// Object id: an `NSManagedObjectID`; only in results of fetch requests.
        public static let objectID = AttributeType(.objectIDAttributeType)
        /// Composite: a dictionary with the values of the elements, see `NSCompositeAttributeDescription`.
        public static let composite = AttributeType(.compositeAttributeType)
    }
}

extension NSAttributeType {
    /// The Foundation class of values; nil for types with values of any class.
    var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType:
            "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        }
    }

    /// The type's name in Xcode and in messages.
    package var displayName: String {
        switch self {
        case .undefinedAttributeType: "Undefined"
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary Data"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .objectIDAttributeType: "Object ID"
        case .compositeAttributeType: "Composite"
        }
    }
}

extension NSAttributeType {
    /// Whether a value has the type's class and, for integers, its range.
    ///
    /// Numbers of any class fit every numeric type, as with `NSNumber`, unless the conversion would change an integer.
    func accepts(_ value: Any) -> Bool {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: true
        case .integer16AttributeType: Self.integer(value).map { Int16(exactly: $0) != nil } ?? false
        case .integer32AttributeType: Self.integer(value).map { Int32(exactly: $0) != nil } ?? false
        case .integer64AttributeType: Self.integer(value) != nil
        case .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
            Self.number(value) != nil
        case .stringAttributeType: value is String || value is NSString
        case .dateAttributeType: value is Date || value is NSDate
        case .binaryDataAttributeType: value is Data || value is NSData
        case .UUIDAttributeType: value is UUID || value is NSUUID
        case .URIAttributeType: value is URL || value is NSURL
        case .objectIDAttributeType: value is NSObject
        case .compositeAttributeType: value is [String: Any] || value is NSDictionary
        }
    }

    private static func number(_ value: Any) -> NSNumber? {
        if let number = value as? NSNumber { return number }
        return (value as? Decimal).map { NSDecimalNumber(decimal: $0) }
    }

    /// nil for a value that is not a number or exceeds 64 bits. Truncates fractions.
    private static func integer(_ value: Any) -> Int64? {
        guard let number = number(value) else { return nil }
        let real = number.doubleValue
        guard real > -9.3e18, real < 9.3e18 else { return nil }
        return number.int64Value
    }
}
