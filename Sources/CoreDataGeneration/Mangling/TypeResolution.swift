// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// From a type as it is written to the type as symbol names know it.

/// Looks names up as the compiler would: in the type around, in the module, in the modules that it depends on, in
/// CoreData, Foundation and the standard library.
struct TypeResolution {
    let index: SourceIndex

    /// Why a type cannot be named.
    enum Failure: Error, Equatable {
        case unknown(String)
        /// Declared private in a file.
        case local(String)
        case unsupported(String)
    }

    /// - Parameter owner: the path of the type that the property is declared in.
    func resolve(_ type: TypeSyntax, inside owner: String) throws(Failure) -> MangledType {
        try resolve(type, owner, depth: 0)
    }

    private func resolve(_ type: TypeSyntax, _ owner: String, depth: Int) throws(Failure) -> MangledType {
        guard depth < 16 else { throw .unsupported(type.text) }
        switch type {
        case .optional(let wrapped): return .optional(try resolve(wrapped, owner, depth: depth))
        case .array(let element): return .generic(Self.swift("Array"), [try resolve(element, owner, depth: depth)])
        case .dictionary(let key, let value):
            return .generic(
                Self.swift("Dictionary"),
                [try resolve(key, owner, depth: depth), try resolve(value, owner, depth: depth)])
        case .other(let text): return try resolve(other: text, owner, depth)
        case .named(let steps): return try resolve(steps, type, owner, depth)
        }
    }

    private func resolve(other text: String, _ owner: String, _ depth: Int) throws(Failure) -> MangledType {
        guard text.hasPrefix("any "), let inner = TypeParser.type(String(text.dropFirst(4))) else {
            throw .unsupported(text)
        }
        let resolved = try resolve(inner, owner, depth: depth)
        guard case .existential = resolved else { throw .unsupported(text) }
        return resolved
    }

    private func resolve(
        _ steps: [TypeSyntax.Step], _ type: TypeSyntax, _ owner: String, _ depth: Int
    ) throws(Failure) -> MangledType {
        let path = steps.map(\.name).joined(separator: ".")
        // Arguments of outer types have a form of their own, which no Core Data code was seen to use.
        guard let last = steps.last, steps.dropLast().allSatisfy({ $0.arguments.isEmpty }) else {
            throw .unsupported(type.text)
        }
        var arguments: [MangledType] = []
        for argument in last.arguments { arguments.append(try resolve(argument, owner, depth: depth)) }
        if let found = index.type(path, inside: owner) {
            guard !found.type.access.isLocal else { throw .local(path) }
            guard found.type.isGeneric == !arguments.isEmpty else { throw .unsupported(type.text) }
            return Self.applied(try declaration(found), arguments)
        }
        if let alias = index.alias(path, inside: owner), arguments.isEmpty {
            return try resolve(alias, owner, depth: depth + 1)
        }
        if path == "Any" || path == "Swift.Any" { return .any }
        if path == "AnyObject" { return .anyObject }
        guard let known = KnownTypes.declaration(steps.map(\.name)) else { throw .unknown(path) }
        if known == Self.swift("Optional"), arguments.count == 1 { return .optional(arguments[0]) }
        return Self.applied(known, arguments)
    }

    private static func applied(_ declaration: MangledDeclaration, _ arguments: [MangledType]) -> MangledType {
        if declaration.steps.last?.kind == DeclaredType.Kind.protocol.rawValue { return .existential(declaration) }
        return arguments.isEmpty ? .nominal(declaration) : .generic(declaration, arguments)
    }

    private static func swift(_ name: String) -> MangledDeclaration { MangledDeclaration("Swift", name, .struct) }

    /// The declaration of a type in source, with the kinds of the types around it.
    func declaration(_ found: SourceIndex.Found) throws(Failure) -> MangledDeclaration {
        var steps: [MangledDeclaration.Step] = []
        var path: [Substring] = []
        for step in found.type.path.split(separator: ".") {
            path.append(step)
            let name = path.joined(separator: ".")
            guard let outer = index.type(name, module: found.module) else { throw .unknown(name) }
            guard !outer.type.access.isLocal else { throw .local(name) }
            steps.append(MangledDeclaration.Step(name: String(step), kind: outer.type.kind.rawValue))
        }
        return MangledDeclaration(module: found.module, steps)
    }
}

/// Types of the system that Core Data code uses in properties.
enum KnownTypes {
    /// - Parameter steps: "Date", or "Foundation", "Date".
    static func declaration(_ steps: [String]) -> MangledDeclaration? {
        let modules: Set<String> = ["Swift", "Foundation", "CoreData"]
        var steps = steps
        if steps.count == 2, modules.contains(steps[0]) { steps.removeFirst() }
        guard steps.count == 1, let module = modulesByName[steps[0]] else { return nil }
        return MangledDeclaration(module.0, module.2 ?? steps[0], module.1)
    }

    /// Module, kind, and the name behind an alias.
    private static let modulesByName: [String: (String, DeclaredType.Kind, String?)] = {
        var known: [String: (String, DeclaredType.Kind, String?)] = [
            "Optional": ("Swift", .struct, nil), "TimeInterval": ("Swift", .struct, "Double"),
            "NSRange": ("Foundation", .struct, "_NSRange"), "Float32": ("Swift", .struct, "Float"),
            "Float64": ("Swift", .struct, "Double"),
        ]
        func add(_ module: String, _ kind: DeclaredType.Kind, _ names: String) {
            for name in names.split(whereSeparator: \.isWhitespace) { known[String(name)] = (module, kind, nil) }
        }
        add(
            "Swift", .struct,
            """
            Array Bool Character ClosedRange Dictionary Double Float Int Int8 Int16 Int32 Int64 Range Set String Substring UInt UInt8
            UInt16 UInt32 UInt64
            """)
        add("Swift", .protocol, "Error")
        add(
            "FoundationEssentials", .struct,
            "AttributedString Calendar Data Date DateComponents DateInterval Decimal IndexPath Locale TimeZone URL UUID"
        )
        add("Foundation", .struct, "CGFloat CGPoint CGRect CGSize IndexSet PersonNameComponents")
        add(
            "Foundation", .class,
            """
            NSArray NSAttributedString NSCalendar NSData NSDate NSDateComponents NSDecimalNumber NSDictionary NSError NSIndexPath
            NSIndexSet NSLocale NSMutableArray NSMutableAttributedString NSMutableData NSMutableDictionary NSMutableOrderedSet
            NSMutableSet NSMutableString NSNull NSNumber NSObject NSOrderedSet NSSet NSString NSTimeZone NSURL NSUUID NSValue
            """)
        add("Foundation", .protocol, "NSCoding NSSecureCoding NSCopying NSObjectProtocol")
        add("CoreData", .class, "NSEntityDescription NSManagedObject NSManagedObjectContext NSManagedObjectID")
        return known
    }()
}
