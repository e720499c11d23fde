// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types of attributes as people read them.

/// The attribute types, by the numbers that stand in models.
package enum AttributeTypes: Int, Sendable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    package init?(_ type: Int) { self.init(rawValue: type) }

    package var title: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "Object ID"
        case .composite: "Composite"
        }
    }

    package static func title(of type: Int) -> String { AttributeTypes(type)?.title ?? "type \(type)" }
}
