// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the values of objects to cells.

public import CoreData
import CoreDataModelFiles
import Foundation

extension Cell {
    /// The value of an object. The attribute's type distinguishes numbers from Booleans.
    public init(_ value: Any?, of attribute: NSAttributeDescription?) {
        guard let value, !(value is NSNull) else {
            self = .null
            return
        }
        if attribute?.attributeType == .booleanAttributeType, let number = value as? NSNumber {
            self = .boolean(number.boolValue)
        } else if let composite = attribute as? NSCompositeAttributeDescription, let values = value as? [String: Any] {
            self = .composite(composite.elements.map { ($0.name, Cell(values[$0.name], of: $0)) })
        } else if let data = value as? Data, let attribute, WorkingModel.isTransformable(attribute) {
            self = Cell(transformed: data)
        } else {
            self = Cell(plain: value, type: attribute?.attributeType)
        }
    }

    private init(transformed data: Data) {
        let name = ArchivedValue.className(data)
        if name == nil, !data.starts(with: Data("bplist00".utf8)) {
            self = .transformed(className: nil, content: nil, data)
            return
        }
        let value = (try? ArchivedValue.decode(data)) ?? nil
        self = .transformed(className: name, content: value.map(ContentText.json), data)
    }

    private init(plain value: Any, type: NSAttributeType?) {
        switch value {
        case let object as NSManagedObject: self = .object(object.objectID.shortText)
        case let value as String: self = .string(value)
        case let value as Date: self = .date(value)
        case let value as UUID: self = .uuid(value)
        case let value as URL: self = .url(value)
        case let value as Data: self = Cell(data: value)
        case let value as NSDecimalNumber: self = .decimal(value.decimalValue)
        case let value as Decimal: self = .decimal(value)
        case let value as NSNumber: self = Cell(number: value, type: type)
        default: self = .string("a value of type \(Swift.type(of: value))")
        }
    }

    private init(number: NSNumber, type: NSAttributeType?) {
        switch type {
        case .doubleAttributeType: self = .real(number.doubleValue)
        // A conversion to double would show ten additional digits.
        case .floatAttributeType: self = .real(Double("\(number.floatValue)") ?? number.doubleValue)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            self = .integer(number.int64Value)
        default:
            let real = number.doubleValue
            self = real == real.rounded() && abs(real) < 9e18 ? .integer(number.int64Value) : .real(real)
        }
    }

    /// Shows data of a recognized format by its contents.
    public init(data: Data) {
        if data.starts(with: Data("bplist00".utf8)) {
            if let value = (try? ArchivedValue.decode(data)) ?? nil {
                self = .structure(ContentText.json(value), data)
                return
            }
            if let name = ArchivedValue.className(data) {
                self = .archive(className: name, data)
                return
            }
            if let value = try? PropertyListBounds.values(of: data) {
                self = .structure(ContentText.json(value), data)
                return
            }
        }
        if let first = data.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let value = try? JSONSerialization.jsonObject(with: data)
        {
            self = .structure(ContentText.json(value), data)
            return
        }
        self = .data(data)
    }
}

/// The contents of archives, property lists and JSON, as JSON.
enum ContentText {
    static func json(_ value: Any) -> JSONValue {
        switch value {
        case is NSNull: .null
        case let value as String: .string(value)
        case let value as Date: .string(Cell.text(of: value))
        case let value as UUID: .string(value.uuidString)
        case let value as URL: .string(value.absoluteString)
        case let value as Data: .string(value.base64EncodedString())
        case let value as NSDecimalNumber: Cell.decimal(value.decimalValue).json
        case let value as NSNumber: number(value)
        case let value as NSOrderedSet: .array(value.array.map(json))
        case let value as NSSet: .array(value.allObjects.map(json).sorted { $0.text < $1.text })
        case let value as [Any]: .array(value.map(json))
        case let value as NSDictionary: dictionary(value)
        case let value as [AnyHashable: Any]: dictionary(NSDictionary(dictionary: value))
        // The description of an object may contain its address.
        default: .string("a value of type \(Swift.type(of: value))")
        }
    }

    private static func number(_ value: NSNumber) -> JSONValue {
        // Only Booleans have these type codes: "c" is that of Foundation outside of Apple's systems.
        if ["B", "c"].contains(String(cString: value.objCType)) || type(of: value as Any) == Bool.self {
            return .boolean(value.boolValue)
        }
        let real = value.doubleValue
        return real == real.rounded() && abs(real) < 9e18 ? .integer(value.int64Value) : .real(real)
    }

    private static func dictionary(_ value: NSDictionary) -> JSONValue {
        let members = value.allKeys.map { key in
            JSONValue.Member(key as? String ?? String(describing: key), value.object(forKey: key).map(json) ?? .null)
        }
        return .object(members.sorted { $0.key < $1.key })
    }
}

extension NSManagedObjectID {
    /// "Person/12"
    public var shortText: String {
        "\(entity.name ?? "")/\(uriRepresentation().lastPathComponent.dropFirst())"
    }
}
