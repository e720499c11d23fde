// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Looks up declarations in several modules.

import Foundation

/// The declarations visible to a module: its own, and those of its dependencies.
struct SourceIndex {
    struct Found {
        let type: DeclaredType
        let module: String
    }

    private var types: [String: [Found]] = [:]
    private var aliases: [String: TypeSyntax] = [:]
    private var conformances: [String: Set<String>] = [:]

    init() {}

    /// Adds a module. Earlier modules take precedence.
    mutating func add(_ declarations: SourceDeclarations, module: String) {
        for type in declarations.types { types[type.path, default: []].append(Found(type: type, module: module)) }
        for alias in declarations.aliases where aliases[alias.path] == nil { aliases[alias.path] = alias.type }
        for (name, protocols) in declarations.conformances { conformances[name, default: []].formUnion(protocols) }
    }

    /// The type for a name inside of another type, where nested types need no prefix.
    ///
    /// - Parameter file: the file of the reference. Of types with one name the file's own private one takes precedence.
    func type(_ name: String, inside owner: String = "", file: String? = nil) -> Found? {
        for path in Self.candidates(name, owner) {
            if let found = nearest(types[path], file) ?? inherited(path, file) { return found }
        }
        // `Module.Type`.
        let steps = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard steps.count == 2 else { return nil }
        return nearest(types[steps[1]]?.filter { $0.module == steps[0] }, file)
    }

    /// "Base.Kind" for "Derived.Kind".
    private func inherited(_ path: String, _ file: String?, depth: Int = 0) -> Found? {
        guard depth < 16, let dot = path.lastIndex(of: "."),
            let outer = nearest(types[String(path[..<dot])], file)?.type,
            outer.kind == .class, case .named(let steps)? = outer.inherited.first
        else { return nil }
        let base = steps.map(\.name).joined(separator: ".")
        let candidates = Self.candidates(base, outer.path).lazy.compactMap { nearest(types[$0], file)?.type }
        guard let superclass = candidates.first, superclass.kind == .class else { return nil }
        let candidate = superclass.path + path[dot...]
        return nearest(types[candidate], file) ?? inherited(candidate, file, depth: depth + 1)
    }

    /// The type with a full path in one module.
    func type(_ path: String, module: String, file: String? = nil) -> Found? {
        nearest(types[path]?.filter { $0.module == module }, file)
    }

    private func nearest(_ found: [Found]?, _ file: String?) -> Found? {
        guard let found, found.count > 1 else { return found?.first }
        return found.first { $0.type.access.isLocal && $0.type.file == file } ?? found.first { !$0.type.access.isLocal }
            ?? found.first
    }

    func alias(_ name: String, inside owner: String = "") -> TypeSyntax? {
        Self.candidates(name, owner).lazy.compactMap { aliases[$0] }.first
    }

    func enumeration(_ name: String) -> DeclaredType? {
        guard let found = type(name)?.type, found.kind == .enum else { return nil }
        return found
    }

    /// Whether a type or one of its extensions declares the conformance.
    func conforms(_ name: String, to wanted: String) -> Bool { conformances[name]?.contains(wanted) ?? false }

    /// The only class with a bare name in a module, including nested classes and Objective-C names.
    func classPath(_ name: String, module: String) -> String? {
        if let found = types[name]?.first(where: { $0.module == module && $0.type.kind == .class }) {
            return found.type.path
        }
        let classes = types.values.joined().filter { $0.module == module && $0.type.kind == .class }
        let nested = classes.filter { $0.type.name == name }
        if nested.count == 1 { return nested.first?.type.path }
        return classes.first { $0.type.objectiveCName == name }?.type.path
    }

    private static func candidates(_ name: String, _ owner: String) -> [String] {
        var outer = owner.split(separator: ".").map(String.init)
        var paths: [String] = []
        while !outer.isEmpty {
            paths.append((outer + [name]).joined(separator: "."))
            outer.removeLast()
        }
        return paths + [name]
    }
}
