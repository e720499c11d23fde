// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds properties with a declared type that cannot hold the model's values.

/// A property with a type that does not fit the model's property of the same name. Its accessor would return zero or
/// nil, and stores would reject the values that it writes.
///
/// All kinds of numbers are interchangeable, as with `NSNumber`. Unknown types (classes, aliases, structures of the
/// program) are accepted, and so are all types for attributes with values of any class.
struct PropertyMismatch {
    /// With an article: "a String".
    let inModel: String

    /// nil if the types fit.
    init?(_ type: TypeSyntax, _ kind: SlotUse.Kind, enumeration: (String) -> DeclaredType?) {
        let declared = PropertyKind(type) { name in enumeration(name).flatMap { $0.kind == .enum ? $0 : nil } }
        let group = Group(declared, type.unwrapped.simpleName)
        guard group != .unknown, let allowed = Self.allowed[kind], !allowed.contains(group) else { return nil }
        inModel = Self.words[kind] ?? "another kind of property"
    }

    private enum Group {
        case number, string, date, interval, collection, otherValue, unknown

        init(_ family: PropertyKind, _ name: String?) {
            self =
                switch family {
                case .rawValue(_, let raw, _, _): Group(raw, nil)
                case .real(let name) where name == "Double" || name == "TimeInterval": .interval
                case .integer, .boolean, .real, .number, .decimalNumber, .decimal: .number
                case .string: .string
                case .date: .date
                case .plain where name == "NSString": .string
                case .plain where name == "NSDate": .date
                case .plain: .otherValue
                case .set, .array, .nsSet, .nsOrderedSet: .collection
                case .other: .unknown
                }
        }
    }

    private static let allowed: [SlotUse.Kind: Set<Group>] = [
        .integer: [.number, .interval], .boolean: [.number, .interval], .float: [.number, .interval],
        .double: [.number, .interval], .date: [.date, .interval], .string: [.string], .toOne: [],
        .toMany: [.collection], .ordered: [.collection],
    ]

    private static let words: [SlotUse.Kind: String] = [
        .integer: "an Integer", .boolean: "a Boolean", .float: "a Float", .double: "a Double", .date: "a Date",
        .string: "a String", .toOne: "a to-one relationship", .toMany: "a to-many relationship",
        .ordered: "an ordered to-many relationship",
    ]
}
