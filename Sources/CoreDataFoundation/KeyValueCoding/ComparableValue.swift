// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts any value to one of a few comparable kinds.

package import Foundation

/// An object compared by an identity: it equals every object with the same identity, also of another class.
package protocol ComparisonKeyed: AnyObject {
    var comparisonKey: AnyHashable { get }
}

/// A value in a comparable form. All numbers of Swift and Foundation, including Booleans, become one of the
/// first four cases.
package enum ComparableValue {
    case null
    case integer(Int64)
    /// Only for numbers above `Int64.max`.
    case unsigned(UInt64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case uuid(UUID)
    case url(URL)
    case data(Data)
    case object(AnyObject)
    case other(Any)

    package init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        // The exact type first: a cast from `Any` that fails is slow, and a predicate runs this code once per object.
        let type = Swift.type(of: value)
        if type == String.self, let value = value as? String {
            self = .string(value)
        } else if type == Int.self, let value = value as? Int {
            self = .integer(Int64(value))
        } else if type == Int64.self, let value = value as? Int64 {
            self = .integer(value)
        } else if type == Double.self, let value = value as? Double {
            self = .double(value)
        } else if type == Bool.self, let value = value as? Bool {
            self = .integer(value ? 1 : 0)
        } else if type == Date.self, let value = value as? Date {
            self = .date(value)
        } else if let kept = Self(value, ofType: ObjectIdentifier(type)) {
            self = kept
        } else {
            self = Self(ofAnyType: value)
        }
    }

    /// The value as an object, for code that accepts any value. Numbers and strings have the type of the case.
    package var original: Any? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .unsigned(let value): value
        case .double(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .data(let value): value
        case .object(let value): value
        case .other(let value): value
        }
    }

    private init?(_ value: Any, ofType type: ObjectIdentifier) {
        switch type {
        case TypeID.int16: self = (value as? Int16).map { .integer(Int64($0)) } ?? .null
        case TypeID.int32: self = (value as? Int32).map { .integer(Int64($0)) } ?? .null
        case TypeID.float: self = (value as? Float).map { .double(Double($0)) } ?? .null
        case TypeID.decimal: self = (value as? Decimal).map { .decimal($0) } ?? .null
        case TypeID.uuid: self = (value as? UUID).map { .uuid($0) } ?? .null
        case TypeID.url: self = (value as? URL).map { .url($0) } ?? .null
        case TypeID.data: self = (value as? Data).map { .data($0) } ?? .null
        case TypeID.number: self = (value as? NSNumber).map { Self(number: $0) } ?? .null
        case TypeID.decimalNumber: self = (value as? NSDecimalNumber).map { .decimal($0.decimalValue) } ?? .null
        default: return nil
        }
    }

    private init(ofAnyType value: Any) {
        let type = Swift.type(of: value)
        if type == AnyHashable.self, let hashable = value as? AnyHashable {
            self = Self(hashable.base)
            return
        }
        // A cast of a Swift collection to a Foundation class would convert the collection.
        if type is AnyClass {
            self = Self(instance: value as AnyObject)
            return
        }
        switch value {
        case let optional as any AnyOptional: self = Self(optional.wrappedValue)
        case let number as any BinaryInteger: self = Self(integer: number)
        case let number as CGFloat: self = .double(Double(number))
        case let number as any BinaryFloatingPoint: self = .double(Double(number))
        case let text as Substring: self = .string(String(text))
        case let character as Character: self = .string(String(character))
        default: self = .other(value)
        }
    }

    private init(instance: AnyObject) {
        switch instance {
        case is NSNull: self = .null
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber: self = Self(number: number)
        case let string as NSString: self = .string(String(string))
        case let date as NSDate: self = .date(date as Date)
        case let data as NSData: self = .data(data as Data)
        case let uuid as NSUUID: self = .uuid(uuid as UUID)
        case let url as NSURL: self = .url(url as URL)
        default: self = .object(instance)
        }
    }

    private init(number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
        case UInt8(ascii: "Q"): self = Self(integer: number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }

    private init(integer: some BinaryInteger) {
        if let signed = Int64(exactly: integer) {
            self = .integer(signed)
        } else if let unsigned = UInt64(exactly: integer) {
            self = .unsigned(unsigned)
        } else {
            self = .double(Double(integer))
        }
    }
}

private enum TypeID {
    static let int16 = ObjectIdentifier(Int16.self)
    static let int32 = ObjectIdentifier(Int32.self)
    static let float = ObjectIdentifier(Float.self)
    static let decimal = ObjectIdentifier(Decimal.self)
    static let uuid = ObjectIdentifier(UUID.self)
    static let url = ObjectIdentifier(URL.self)
    static let data = ObjectIdentifier(Data.self)
    static let number = ObjectIdentifier(NSNumber.self)
    static let decimalNumber = ObjectIdentifier(NSDecimalNumber.self)
}
