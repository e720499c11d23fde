// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Resolves a type in source code to the type in symbol names.

/// Looks names up like the compiler: in enclosing types, in the module, in its dependencies, in CoreData, Foundation
/// and the standard library.
struct TypeResolution {
    let index: SourceIndex
    /// The file of the types, because private types of other files are invisible.
    let file: String

    /// The reason why a type cannot be resolved.
    enum Failure: Error, Equatable {
        case unknown(String)
        /// The type is private to a file.
        case local(String)
        case unsupported(String)
    }

    /// - Parameter owner: the path of the type that declares the property.
    func resolve(_ type: TypeSyntax, inside owner: String) throws(Failure) -> MangledType {
        try resolve(type, owner, depth: 0)
    }

    private func resolve(_ type: TypeSyntax, _ owner: String, depth: Int) throws(Failure) -> MangledType {
        guard depth < 16 else { throw .unsupported(type.text) }
        switch type {
        case .optional(let wrapped): return .optional(try resolve(wrapped, owner, depth: depth))
        case .array(let element): return .generic(Self.swift("Array"), [[try resolve(element, owner, depth: depth)]])
        case .dictionary(let key, let value):
            return .generic(
                Self.swift("Dictionary"),
                [[try resolve(key, owner, depth: depth), try resolve(value, owner, depth: depth)]])
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
        guard let last = steps.last else { throw .unsupported(type.text) }
        if steps.count == 1, last.arguments.isEmpty, let parameter = parameter(path, owner) { return parameter }
        if let found = index.type(path, inside: owner, file: file) {
            let arguments = try arguments(of: found, steps, owner, depth + 1)
            return Self.applied(try declaration(found), arguments)
        }
        // Generic arguments of enclosing system types have a different encoding, which no known Core Data code uses.
        guard steps.dropLast().allSatisfy({ $0.arguments.isEmpty }) else { throw .unsupported(type.text) }
        if let alias = index.alias(path, inside: owner), last.arguments.isEmpty {
            return try resolve(alias, owner, depth: depth + 1)
        }
        if path == "Any" || path == "Swift.Any" { return .any }
        if path == "AnyObject" { return .anyObject }
        guard let known = KnownTypes.declaration(steps.map(\.name)) else { throw .unknown(path) }
        var arguments: [MangledType] = []
        for argument in last.arguments { arguments.append(try resolve(argument, owner, depth: depth + 1)) }
        if known == Self.swift("Optional"), arguments.count == 1 { return .optional(arguments[0]) }
        return Self.applied(known, arguments.isEmpty ? [] : [arguments])
    }

    private static func applied(_ declaration: MangledDeclaration, _ arguments: [[MangledType]]) -> MangledType {
        if declaration.steps.last?.kind == DeclaredType.Kind.protocol.rawValue { return .existential(declaration) }
        return arguments.isEmpty ? .nominal(declaration) : .generic(declaration, arguments)
    }

    private static func swift(_ name: String) -> MangledDeclaration { MangledDeclaration("Swift", name, .struct) }

    // MARK: Generic types

    /// A parameter of an enclosing generic type.
    private func parameter(_ name: String, _ owner: String) -> MangledType? {
        guard let found = index.type(owner, file: file) else { return nil }
        let levels = outward(found).map(\.parameters).filter { !$0.isEmpty }
        for (depth, names) in levels.enumerated().reversed() {
            guard let index = names.firstIndex(of: name) else { continue }
            return .parameter(depth: depth, index: index, name: name)
        }
        return nil
    }

    /// The generic arguments of each step; inside of a generic type the default arguments are its own parameters.
    private func arguments(
        of found: SourceIndex.Found, _ steps: [TypeSyntax.Step], _ owner: String, _ depth: Int
    ) throws(Failure) -> [[MangledType]] {
        guard depth < 16 else { throw .unsupported(found.type.path) }
        let types = outward(found)
        var levels: [[MangledType]] = []
        for (place, type) in types.enumerated() {
            let written = place - (types.count - steps.count)
            let arguments = steps.indices.contains(written) ? steps[written].arguments : []
            var level: [MangledType] = []
            if !arguments.isEmpty {
                guard arguments.count == type.parameters.count else { throw .unsupported(found.type.path) }
                for argument in arguments { level.append(try resolve(argument, owner, depth: depth)) }
            } else if !type.parameters.isEmpty {
                guard owner == type.path || owner.hasPrefix(type.path + ".") else {
                    throw .unsupported(found.type.path)
                }
                level = type.parameters.compactMap { parameter($0, type.path) }
            }
            if !levels.isEmpty || !level.isEmpty { levels.append(level) }
        }
        return levels
    }

    /// A type with its enclosing types, the outermost first.
    func outward(_ found: SourceIndex.Found) -> [DeclaredType] {
        var path = ""
        return found.type.path.split(separator: ".").compactMap { step in
            path += path.isEmpty ? String(step) : ".\(step)"
            return index.type(path, module: found.module, file: found.type.file)?.type
        }
    }

    // MARK: Declarations

    /// The declaration of a type in source code, with the kinds of its enclosing types.
    func declaration(_ found: SourceIndex.Found) throws(Failure) -> MangledDeclaration {
        let types = outward(found)
        let names = found.type.path.split(separator: ".").map(String.init)
        guard types.count == names.count else { throw .unknown(found.type.path) }
        var declaration = MangledDeclaration(module: found.module, [])
        var isHidden = false
        for (name, type) in zip(names, types) {
            var step = MangledDeclaration.Step(name: name, kind: type.kind.rawValue)
            if type.access.isLocal, !isHidden {
                step.discriminator = Self.discriminator(module: found.module, file: type.file)
                isHidden = true
            }
            declaration.steps.append(step)
        }
        if isHidden { declaration.standIn = try standIn(found.type) }
        return declaration
    }

    /// The compiler's discriminator for private declarations of several files.
    static func discriminator(module: String, file: String) -> String {
        "_" + MD5.hex(module + (file.split(separator: "/").last.map(String.init) ?? file))
    }

    /// An object reference has the same representation for every class.
    private func standIn(_ type: DeclaredType) throws(Failure) -> String {
        guard type.kind == .class, let superclass = type.inherited.first,
            let resolved = try? resolve(superclass, inside: type.path), resolved.isClass
        else { throw .local(type.path) }
        return resolved.text
    }
}

extension MangledType {
    fileprivate var isClass: Bool {
        switch self {
        case .nominal(let declaration), .generic(let declaration, _):
            declaration.steps.last?.kind == DeclaredType.Kind.class.rawValue
        default: false
        }
    }
}
