// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the accessors that `@NSManaged` properties and methods miss when they are linked.

import Foundation

/// Without Objective-C the compiler takes `@NSManaged` as a promise that the accessors are somewhere else. A method in
/// an extension that bears the symbol of the accessor, with the same calling convention, keeps it
/// (`Documentation/Generation.md`).
struct ManagedAccessors {
    private(set) var diagnostics: [Diagnostic] = []
    private let declarations: SourceDeclarations
    private let index: SourceIndex
    private let module: String
    private let entities: ClassEntities
    private var lines: [String] = []
    /// The modules of types, and whether public declarations use them.
    private var imports: [String: Bool] = [:]
    private var count = 0

    /// - Returns: a source file, and what nothing could be written for.
    static func source(
        _ declarations: SourceDeclarations, _ index: SourceIndex, module: String, entities: ClassEntities
    ) -> (text: String, diagnostics: [Diagnostic]) {
        var act = ManagedAccessors(declarations: declarations, index: index, module: module, entities: entities)
        act.run()
        return (act.text, act.diagnostics)
    }

    private init(declarations: SourceDeclarations, index: SourceIndex, module: String, entities: ClassEntities) {
        self.declarations = declarations
        self.index = index
        self.module = module
        self.entities = entities
    }

    private var text: String {
        var modules = imports.filter { ![module, "Swift", "FoundationEssentials", "Foundation"].contains($0.key) }
        // It brings Foundation along.
        modules["CoreData"] = imports.values.contains(true)
        let head = [
            "// The accessors of @NSManaged properties. Do not edit: written anew when sources or models change.", "",
        ]
        let names = modules.sorted { $0.key < $1.key }.map { "\($0.value ? "public " : "")import \($0.key)" }
        return (head + names + [""] + lines).joined(separator: "\n")
    }

    private mutating func run() {
        for place in declarations.unreachable {
            warn(
                place.file, place.line,
                "No accessor can be generated for @NSManaged here: the class is private, generic or inside of a function. Write a computed "
                    + "property over value(forKey:) instead.")
        }
        for property in declarations.properties { write(property) }
        for method in declarations.methods { write(method) }
    }

    // MARK: Members

    /// Everything about a member's class that its accessors need.
    private struct Owner {
        var path: String
        var context: SymbolMangler.Context
        var entity: ClassEntities.Entry?
        /// That of the class: nothing in it is seen by more.
        var access: AccessLevel
    }

    private func owner(_ member: ManagedMember) throws(TypeResolution.Failure) -> Owner {
        guard let found = index.type(member.owner) else { throw .unknown(member.owner) }
        guard !found.type.isGeneric else { throw .unsupported(member.owner) }
        let type = try TypeResolution(index: index).declaration(found)
        let context = SymbolMangler.Context(type: type, extensionModule: member.isInExtension ? module : nil)
        return Owner(
            path: found.type.path, context: context, entity: entities[found.type.name],
            access: found.type.access)
    }

    private mutating func write(_ property: ManagedProperty) {
        let member = property.member
        do {
            let owner = try owner(member)
            let type = try TypeResolution(index: index).resolve(property.type, inside: owner.path)
            note(type, isPublic: min(member.access, owner.access) >= .public)
            let names = SymbolMangler.property(
                member.name, of: owner.context, type: type,
                discriminator: member.access.isLocal ? discriminator(member.file) : nil)
            let body = self.body(property, owner)
            let spelled = type.text
            var methods = [
                "@_silgen_name(\"\(names.getter)\") \(word(member.access, owner))func _get\(count)() -> \(spelled) { \(body.getter) }"
            ]
            methods.append(
                "@_silgen_name(\"\(names.setter)\") \(word(property.setterAccess, owner))func _set\(count)(_ newValue: __owned \(spelled)) { \(body.setter) }"
            )
            count += 1
            wrap(member, owner.path, methods)
        } catch {
            warn(property, because: error)
        }
    }

    private mutating func body(_ property: ManagedProperty, _ owner: Owner) -> AccessorBody {
        let (name, entity) = (property.member.name, owner.entity)
        if entity?.slots[name] == nil, let key = Self.primitiveKey(name), entity == nil || entity?.slots[key] != nil {
            return AccessorBody(primitive: property.type, key: key)
        }
        if let entity, entity.slots[name] == nil {
            warn(
                property.member.file, property.member.line,
                "'\(property.member.owner).\(name)': the entity '\(entity.name)' has no property of this name.")
        }
        let index = index
        return AccessorBody(
            property.type, key: name, use: entity?.slots[name],
            enumeration: { name in
                index.type(name, inside: owner.path).flatMap { $0.type.kind == .enum ? $0.type : nil }
            })
    }

    /// "name" for "primitiveName".
    private static func primitiveKey(_ name: String) -> String? {
        let rest = name.dropFirst("primitive".count)
        guard name.hasPrefix("primitive"), let first = rest.first, first.isUppercase else { return nil }
        return first.lowercased() + rest.dropFirst()
    }

    private mutating func write(_ method: ManagedMethod) {
        let member = method.member
        do {
            let owner = try owner(member)
            guard method.result == nil, let call = MutatorCall(method, slots: owner.entity?.slots) else {
                return warn(
                    member.file, member.line,
                    "'\(member.owner).\(member.name)': nothing is known of a method of this form. Write its body over "
                        + "mutableSetValue(forKey:) or mutableOrderedSetValue(forKey:) instead of @NSManaged.")
            }
            var parameters: [(label: String?, type: MangledType)] = []
            for parameter in method.parameters {
                let type = try TypeResolution(index: index).resolve(parameter.type, inside: owner.path)
                note(type, isPublic: min(member.access, owner.access) >= .public)
                parameters.append((parameter.label, type))
            }
            let symbol = SymbolMangler.method(
                member.name, of: owner.context, parameters: parameters, result: nil,
                discriminator: member.access.isLocal ? discriminator(member.file) : nil)
            let list = zip(call.names, parameters).map { "_ \($0): \($1.type.text)" }.joined(separator: ", ")
            wrap(
                member, owner.path,
                [
                    "@_silgen_name(\"\(symbol)\") \(word(member.access, owner))func _call\(count)(\(list)) { \(call.body) }"
                ])
            count += 1
        } catch {
            warn(
                member.file, member.line,
                "'\(member.owner).\(member.name)': \(Self.sentence(error)) Write its body instead of @NSManaged.")
        }
    }

    // MARK: Text

    private mutating func wrap(_ member: ManagedMember, _ owner: String, _ methods: [String]) {
        lines += member.conditions.map { "#if \($0)" }
        let path = owner.split(separator: ".").map { SwiftNames.escaped(String($0)) }.joined(separator: ".")
        lines.append("extension \(path) {")
        lines += methods.map { "    \($0)" }
        lines.append("}")
        lines += member.conditions.map { _ in "#endif" }
    }

    /// The accessors of private properties have a symbol that the whole module may see, and so must what takes their
    /// place.
    private func word(_ access: AccessLevel, _ owner: Owner) -> String {
        switch min(access, owner.access) {
        case .open, .public: "public "
        case .package: "package "
        case .internal: ""
        case .private, .fileprivate: ""
        }
    }

    private func discriminator(_ file: String) -> String {
        "_" + MD5.hex(module + (file.split(separator: "/").last.map(String.init) ?? file))
    }

    private mutating func note(_ type: MangledType, isPublic: Bool) {
        switch type {
        case .nominal(let declaration), .existential(let declaration): note(declaration.module, isPublic)
        case .generic(let declaration, let arguments):
            note(declaration.module, isPublic)
            for argument in arguments { note(argument, isPublic: isPublic) }
        case .optional(let wrapped): note(wrapped, isPublic: isPublic)
        case .any, .anyObject: note("Swift", isPublic)
        }
    }

    private mutating func note(_ module: String, _ isPublic: Bool) {
        imports[module] = isPublic || imports[module] ?? false
    }

    private mutating func warn(_ property: ManagedProperty, because failure: TypeResolution.Failure) {
        let (member, type) = (property.member, property.type.text)
        let name = SwiftNames.escaped(member.name)
        warn(
            member.file, member.line,
            "'\(member.owner).\(member.name)': \(Self.sentence(failure)) Write instead: var \(name): \(type) { get { value(forKey: "
                + "\"\(member.name)\") as! \(type) } set { setValue(newValue, forKey: \"\(member.name)\") } }")
    }

    private static func sentence(_ failure: TypeResolution.Failure) -> String {
        switch failure {
        case .unknown(let name):
            "no accessor can be generated, as '\(name)' is neither in these sources nor a type known here."
        case .local(let name): "no accessor can be generated, as '\(name)' is private: make it internal."
        case .unsupported(let text): "no accessor can be generated for the type '\(text)'."
        }
    }

    private mutating func warn(_ file: String, _ line: Int, _ sentence: String) {
        diagnostics.append(Diagnostic(.warning, file, line: line, sentence))
    }
}

extension MangledType {
    /// As source, with whole paths.
    var text: String {
        switch self {
        case .nominal(let declaration): declaration.text
        case .existential(let declaration): "any \(declaration.text)"
        case .any: "Any"
        case .anyObject: "AnyObject"
        case .optional(.existential(let declaration)): "(any \(declaration.text))?"
        case .optional(let wrapped): "\(wrapped.text)?"
        case .generic(let declaration, let arguments):
            "\(declaration.text)<\(arguments.map(\.text).joined(separator: ", "))>"
        }
    }
}

extension MangledDeclaration {
    var text: String {
        let path = steps.map { SwiftNames.escaped($0.name) }.joined(separator: ".")
        return path == "_NSRange" ? "NSRange" : path
    }
}
