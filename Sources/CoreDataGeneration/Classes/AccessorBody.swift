// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates the code in the getter and setter of a property.

/// An expression that reads a property and a statement that writes it, by slot if the slot is known
/// (`GeneratedAccess.md`).
struct AccessorBody {
    /// An expression of the property's type.
    let getter: String
    /// A statement that uses `newValue`.
    let setter: String

    /// - Parameters:
    ///   - use: the property's slot; nil if the model or the property is unknown. The accessor then uses the name.
    ///   - parameters: the names of generic parameters in scope.
    ///   - fallback: source code for a raw value without a case of the enumeration; otherwise the
    ///     enumeration's first case.
    init(
        _ type: TypeSyntax, key: String, use: SlotUse?, parameters: Set<String> = [], fallback: String? = nil,
        enumeration: (String) -> DeclaredType? = { _ in nil }
    ) {
        let writer = BodyWriter(
            key: SwiftNames.quoted(key), use: use, type: type, parameters: parameters, fallback: fallback)
        let family = PropertyKind(type, enumeration: enumeration)
        let read = writer.read(family)
        getter =
            type.isOptional ? read.text : read.whole ?? "\(read.text) ?? \(read.empty ?? "_missing(\(writer.key))")"
        setter = writer.write(family, "newValue", isOptional: type.isOptional)
    }

    /// The body of `primitiveName` for `name`, without accessors, faults and change tracking.
    init(primitive type: TypeSyntax, key: String) {
        let read = "primitiveValue(forKey: \(SwiftNames.quoted(key))) as? \(type.unwrapped.text)"
        getter = type.isOptional ? read : "(\(read)) ?? _missing(\(SwiftNames.quoted(key)))"
        setter = "setPrimitiveValue(newValue, forKey: \(SwiftNames.quoted(key)))"
    }
}

private struct BodyWriter {
    /// The key as a quoted literal.
    let key: String
    let use: SlotUse?
    let type: TypeSyntax
    let parameters: Set<String>
    let fallback: String?

    /// An optional expression, the replacement for nil, or an expression that is never nil.
    struct Read {
        var text: String
        var empty: String?
        var whole: String?
    }

    private var kind: SlotUse.Kind? { use?.kind }

    private func call(_ function: String) -> String { "\(function)(\(use?.slot ?? 0), \(key))" }

    private func named(_ type: String) -> String { "(_named(\(key)) as \(type)?)" }

    func read(_ family: PropertyKind) -> Read {
        switch family {
        case .integer(let name):
            let raw = kind == .integer ? call("_integer") : "\(named("NSNumber"))?.int64Value"
            if name == "Int64" { return Read(text: raw, empty: "0") }
            return Read(
                text: mapped(raw, "\(name)(truncatingIfNeeded: $0)"), whole: "\(name)(truncatingIfNeeded: \(raw) ?? 0)")
        case .boolean:
            return Read(text: kind == .boolean ? call("_boolean") : "\(named("NSNumber"))?.boolValue", empty: "false")
        case .real(let name): return readReal(name)
        case .number: return Read(text: readNumber(), empty: nil)
        case .decimalNumber: return Read(text: kind == .box ? call("_value") : "_named(\(key))")
        case .decimal: return Read(text: mapped(boxed("NSDecimalNumber"), "$0.decimalValue"), empty: "0")
        case .string: return Read(text: kind == .string ? call("_string") : "_named(\(key))", empty: "\"\"")
        case .date: return Read(text: kind == .date ? call("_date") : "_named(\(key))")
        case .plain(let empty): return Read(text: kind == .box ? call("_value") : "_named(\(key))", empty: empty)
        case .rawValue(let name, let raw, _, let first):
            let value = raw == .string ? read(raw).text : "(\(read(raw).text))"
            return Read(
                text: "\(value).flatMap { \(name)(rawValue: $0) }",
                empty: fallback ?? first.map { "\(name).\(SwiftNames.escaped($0))" })
        case .set where kind == .toMany || kind == nil && isObjects:
            return Read(text: "_memberSet(\(key))", whole: "_memberSet(\(key))")
        case .array where kind == .ordered || kind == .toMany:
            return Read(text: "_memberArray(\(key))", whole: "_memberArray(\(key))")
        case .nsSet: return Read(text: "_named(\(key))", empty: "NSSet()")
        case .nsOrderedSet: return Read(text: "_named(\(key))", empty: "NSOrderedSet()")
        case .set, .array: return Read(text: kind == .box ? call("_value") : "_named(\(key))", empty: "[]")
        case .other(let empty):
            switch kind {
            case .toOne: return Read(text: call("_destination"))
            case .box: return Read(text: call("_value"), empty: empty)
            default: return Read(text: "_named(\(key))", empty: empty)
            }
        }
    }

    /// A set in a class without a model is assumed to be a relationship, as most are. A set of a generic parameter is
    /// not, because the parameter need not be a class.
    private var isObjects: Bool {
        guard case .named(let steps) = type.unwrapped, let member = steps.last?.arguments.first,
            !parameters.contains(member.text)
        else { return false }
        return PropertyKind(member, enumeration: { _ in nil }) == .other(empty: nil)
    }

    private func mapped(_ text: String, _ transform: String) -> String { "(\(text)).map { \(transform) }" }

    private func boxed(_ type: String) -> String { kind == .box ? "(\(call("_value")) as \(type)?)" : named(type) }

    private func readReal(_ name: String) -> Read {
        let isDouble = name == "Double" || name == "TimeInterval"
        let raw: String
        switch kind {
        case .double, .float: raw = call("_double")
        case .date where isDouble: raw = "\(call("_date"))?.timeIntervalSinceReferenceDate"
        default: raw = "\(named("NSNumber"))?.doubleValue"
        }
        if isDouble { return Read(text: raw, empty: "0") }
        return Read(text: mapped(raw, "\(name)($0)"), whole: "\(name)(\(raw) ?? 0)")
    }

    private func readNumber() -> String {
        switch kind {
        case .integer: mapped(call("_integer"), "NSNumber(value: $0)")
        case .boolean: mapped(call("_boolean"), "NSNumber(value: $0)")
        case .double: mapped(call("_double"), "NSNumber(value: $0)")
        case .float: mapped(call("_double"), "NSNumber(value: Float($0))")
        case .box: call("_value")
        default: "_named(\(key))"
        }
    }

    // MARK: Writing

    func write(_ family: PropertyKind, _ value: String, isOptional: Bool) -> String {
        func convert(_ transform: (String) -> String) -> String {
            isOptional ? "\(value).map { \(transform("$0")) }" : transform(value)
        }
        let chained = isOptional ? "\(value)?" : value
        switch (family, kind) {
        case (.integer("Int64"), .integer): return set("_setInteger", value)
        case (.integer, .integer): return set("_setInteger", convert { "Int64(truncatingIfNeeded: \($0))" })
        case (.boolean, .boolean): return set("_setBoolean", value)
        case (.real(let name), .double):
            return set("_setDouble", name == "Float" || name == "CGFloat" ? convert { "Double(\($0))" } : value)
        case (.real(let name), .float): return set("_setFloat", name == "Float" ? value : convert { "Float(\($0))" })
        case (.real, .date): return set("_setDate", convert { "Date(timeIntervalSinceReferenceDate: \($0))" })
        case (.number, .integer): return set("_setInteger", "\(chained).int64Value")
        case (.number, .boolean): return set("_setBoolean", "\(chained).boolValue")
        case (.number, .double): return set("_setDouble", "\(chained).doubleValue")
        case (.number, .float): return set("_setFloat", "\(chained).floatValue")
        case (.string, .string): return set("_setString", value)
        case (.date, .date): return set("_setDate", value)
        case (.decimal, _): return any(convert { "NSDecimalNumber(decimal: \($0))" })
        case (.rawValue(_, let raw, _, _), _):
            return write(raw, isOptional ? "(\(value)?.rawValue)" : "\(value).rawValue", isOptional: isOptional)
        case (.set, .toMany): return any(convert { "NSSet(array: Array(\($0)))" })
        case (.set, nil) where isObjects: return any(convert { "NSSet(array: Array(\($0)))" })
        case (.array, .toMany): return any(convert { "NSSet(array: \($0))" })
        case (.array, .ordered): return any(convert { "NSOrderedSet(array: \($0))" })
        case (.other, .toOne): return set("_setDestination", value)
        default: return any(value)
        }
    }

    private func set(_ function: String, _ value: String) -> String {
        "\(function)(\(value), \(use?.slot ?? 0), \(key))"
    }

    private func any(_ value: String) -> String { use == nil ? byName(value) : set("_setValue", value) }

    private func byName(_ value: String) -> String { "_setNamed(\(value), \(key))" }
}
