// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups the Swift types of properties by the way that accessors read and write them.

/// The kind of a property's type for its accessors. Determined by name only: a module with its own `Date` must write
/// `Foundation.Date` for Foundation's type.
enum PropertyKind: Equatable, Sendable {
    /// `Int` and similar types, by name.
    case integer(String)
    case boolean
    /// `Double`, `Float`, `TimeInterval`, `CGFloat`, by name.
    case real(String)
    case number
    case decimalNumber
    case decimal
    case string
    case date
    /// `Data`, `UUID`, `URL`, and Foundation's classes: a cast is sufficient.
    case plain(empty: String?)
    /// An enumeration with a raw value of the type, and the case for unknown raw values.
    indirect case rawValue(name: String, of: PropertyKind, rawType: String, fallback: String?)
    case set(of: TypeSyntax)
    case array(of: TypeSyntax)
    case nsSet
    case nsOrderedSet
    /// A class or any other type, with source code for an empty value if there is one.
    case other(empty: String?)

    /// - Parameter enumeration: looks up the enumeration with the type's name in the sources.
    init(_ type: TypeSyntax, enumeration: (String) -> DeclaredType?) {
        switch type.unwrapped {
        case .array(let element): self = .array(of: element)
        case .dictionary: self = .other(empty: "[:]")
        case .named(let steps):
            let path = steps.map(\.name).joined(separator: ".")
            let name = steps.last?.name ?? ""
            let arguments = steps.last?.arguments ?? []
            if name == "Set", arguments.count == 1 {
                self = .set(of: arguments[0])
            } else if name == "Array", arguments.count == 1 {
                self = .array(of: arguments[0])
            } else if let known = Self.known[name] {
                self = known
            } else if let found = enumeration(path), let raw = Self.rawType(of: found) {
                let family = PropertyKind(.name(raw), enumeration: { _ in nil })
                self = .rawValue(name: found.path, of: family, rawType: raw, fallback: found.firstCase)
            } else {
                self = .other(empty: nil)
            }
        case .optional, .other: self = .other(empty: nil)
        }
    }

    private static func rawType(of type: DeclaredType) -> String? {
        guard type.kind == .enum, let first = type.inherited.first?.simpleName else { return nil }
        switch known[first] {
        case .integer?, .string?: return first
        default: return nil
        }
    }

    private static let known: [String: PropertyKind] = {
        var known: [String: PropertyKind] = [
            "Bool": .boolean, "NSNumber": .number, "NSDecimalNumber": .decimalNumber, "Decimal": .decimal,
            "String": .string, "Date": .date, "Data": .plain(empty: "Data()"), "NSSet": .nsSet,
            "NSOrderedSet": .nsOrderedSet, "Dictionary": .other(empty: "[:]"),
        ]
        for name in ["UUID", "URL", "NSString", "NSDate", "NSData", "NSURL", "NSUUID"] {
            known[name] = .plain(empty: nil)
        }
        for name in ["Int", "UInt"] {
            for size in ["", "8", "16", "32", "64"] { known[name + size] = .integer(name + size) }
        }
        for name in ["Double", "Float", "TimeInterval", "CGFloat"] { known[name] = .real(name) }
        return known
    }()
}
