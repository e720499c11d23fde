// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which Swift types are read and written alike.

/// What a property's type is to an accessor. Told by the name alone: a module that has a `Date` of its own has to say
/// `Foundation.Date` for the other one as well.
enum ValueFamily: Equatable, Sendable {
    /// `Int` and its kin; the name.
    case integer(String)
    case boolean
    /// `Double`, `Float`, `TimeInterval`, `CGFloat`; the name.
    case real(String)
    case number
    case decimalNumber
    case decimal
    case string
    case date
    /// `Data`, `UUID`, `URL`, and Foundation's classes: a cast suffices.
    case plain(empty: String?)
    /// An enumeration with a raw value of the type, and the case for values that it does not have.
    indirect case rawValue(name: String, of: ValueFamily, rawType: String, fallback: String?)
    case set(of: TypeSyntax)
    case array(of: TypeSyntax)
    case nsSet
    case nsOrderedSet
    /// A class or anything else; how an empty one is written, where there is one.
    case other(empty: String?)

    /// - Parameter enumeration: what the sources say of an enumeration with the type's name.
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
                let family = ValueFamily(.name(raw), enumeration: { _ in nil })
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

    private static let known: [String: ValueFamily] = {
        var known: [String: ValueFamily] = [
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
