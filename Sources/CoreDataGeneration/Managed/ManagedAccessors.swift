// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates the accessors for `@NSManaged` properties and methods, which linking requires.

import Foundation

/// Without Objective-C the compiler treats `@NSManaged` as a promise that accessors exist elsewhere. A method in an
/// extension with the symbol and the calling convention of the accessor fulfils it
/// (`Documentation/Internals/Generation.md`).
struct ManagedAccessors {
    private(set) var diagnostics: [Diagnostic] = []
    private let declarations: SourceDeclarations
    private let index: SourceIndex
    private let module: String
    private let entities: ClassEntities
    private var lines: [String] = []
    /// The modules of the types, and whether public declarations use them.
    private var imports: [String: Bool] = [:]
    private var count = 0

    /// - Returns: a source file, and diagnostics for members without an accessor.
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
        // CoreData re-exports Foundation. An unused public import causes a warning.
        modules["CoreData"] = ["CoreData", "Foundation", "FoundationEssentials"].contains { imports[$0] == true }
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
                "No accessor can be generated for @NSManaged here: the class is inside of a function, or the extension has a where clause. "
                    + "Write a computed property over value(forKey:) instead.")
        }
        for property in declarations.properties { write(property) }
        for method in declarations.methods { write(method) }
    }

    // MARK: Members

    /// The properties of a member's class that its accessors need.
    private struct Owner {
        var path: String
        /// The extended class in source code. For an invisible class it is a superclass.
        var extended: String
        /// Whether `extended` is the class itself.
        var isSeen: Bool
        var discriminator: String?
        /// The names of its generic parameters and those of enclosing types.
        var parameters: Set<String>
        var context: SymbolMangler.Context
        var entity: ClassEntities.Entry?
        /// The access level of the class, which limits that of its members.
        var access: SourceAccess
    }

    private func owner(_ member: NSManagedMember) throws(TypeResolution.Failure) -> Owner {
        guard let found = index.type(member.owner, file: member.file) else { throw .unknown(member.owner) }
        let resolution = TypeResolution(index: index, file: member.file)
        let type = try resolution.declaration(found)
        let context = SymbolMangler.Context(type: type, extensionModule: member.isInExtension ? module : nil)
        // Inside of a private type a private member is already unambiguous.
        let isAlone = member.access.isLocal && type.standIn == nil
        return Owner(
            path: found.type.path, extended: type.standIn == nil ? type.text : "NSManagedObject",
            isSeen: type.standIn == nil,
            discriminator: isAlone ? TypeResolution.discriminator(module: module, file: member.file) : nil,
            parameters: Set(resolution.outward(found).flatMap(\.parameters)),
            context: context, entity: entities[found.type], access: found.type.access)
    }

    private func resolution(_ member: NSManagedMember) -> TypeResolution {
        TypeResolution(index: index, file: member.file)
    }

    private mutating func write(_ property: NSManagedProperty) {
        let member = property.member
        do throws(TypeResolution.Failure) {
            let owner = try owner(member)
            let type = try resolution(member).resolve(property.type, inside: owner.path)
            note(type, isPublic: min(member.access, owner.access) >= .public)
            let names = SymbolMangler.property(
                member.name, of: owner.context, type: type, discriminator: owner.discriminator)
            note(owner.context.type.module, min(member.access, owner.access) >= .public)
            let hidden = type.hiddenClass
            if hidden == nil, let declaration = type.hiddenDeclaration {
                throw TypeResolution.Failure.local(declaration.path)
            }
            let spelled = type.text
            let body = self.body(property, TypeParser.type(spelled) ?? property.type, owner)
            let getter =
                hidden.map { "_hidden(\(body.getter), \(SwiftNames.quoted($0)), \(SwiftNames.quoted(member.name)))" }
                ?? body.getter
            add(
                member, owner,
                [
                    (names.getter, word(property.member.access, owner), "get", "() -> \(spelled)", getter),
                    (
                        names.setter, word(property.setterAccess, owner), "set", "(_ newValue: __owned \(spelled))",
                        body.setter
                    ),
                ])
        } catch {
            warn(property, because: error)
        }
    }

    /// - Parameter type: the type of the property, with aliases resolved.
    private mutating func body(_ property: NSManagedProperty, _ type: TypeSyntax, _ owner: Owner) -> AccessorBody {
        let (name, entity) = (property.member.name, owner.entity)
        if entity?.slots[name] == nil, let key = Self.primitiveKey(name), entity == nil || entity?.slots[key] != nil {
            return AccessorBody(primitive: type, key: key)
        }
        if let entity, entity.slots[name] == nil {
            warn(
                property.member.file, property.member.line,
                "'\(property.member.owner).\(name)': the entity '\(entity.name)' has no property of this name.")
        }
        let index = index
        if let entity, let use = entity.slots[name],
            let wrong = PropertyMismatch(type, use.kind, enumeration: { index.type($0, inside: owner.path)?.type })
        {
            diagnostics.append(
                Diagnostic(
                    .error, property.member.file, line: property.member.line,
                    "'\(property.member.owner).\(name)' is declared as \(property.type.text), but in the entity '\(entity.name)' it is "
                        + "\(wrong.inModel): change the declaration or the model."))
        }
        return AccessorBody(
            type, key: name, use: entity?.slots[name], parameters: owner.parameters,
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

    private mutating func write(_ method: NSManagedMethod) {
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
                let type = try resolution(member).resolve(parameter.type, inside: owner.path)
                note(type, isPublic: min(member.access, owner.access) >= .public)
                parameters.append((parameter.label, type))
            }
            let symbol = SymbolMangler.method(
                member.name, of: owner.context, parameters: parameters, result: nil,
                discriminator: owner.discriminator)
            let list = zip(call.names, parameters).map { "_ \($0): \($1.type.text)" }.joined(separator: ", ")
            add(member, owner, [(symbol, word(member.access, owner), "call", "(\(list))", call.body)])
        } catch {
            warn(
                member.file, member.line,
                "'\(member.owner).\(member.name)': \(Self.sentence(error)) Write its body instead of @NSManaged.")
        }
    }

    // MARK: Text

    private typealias Method = (symbol: String, access: String, kind: String, signature: String, body: String)

    /// Method names contain the module, because a superclass in another module may have methods with the same names.
    private mutating func add(_ member: NSManagedMember, _ owner: Owner, _ methods: [Method]) {
        lines += member.conditions.map { "#if \($0)" }
        lines.append("extension \(owner.extended) {")
        // Not inlined: the optimizer must not see a method that receives objects of another class than
        // its callers pass.
        let attribute = owner.isSeen ? "" : "@inline(never) "
        for method in methods {
            lines.append(
                "    @_silgen_name(\"\(method.symbol)\") \(attribute)\(method.access)func _\(module)_\(method.kind)\(count)\(method.signature) { \(method.body) }"
            )
        }
        lines.append("}")
        lines += member.conditions.map { _ in "#endif" }
        count += 1
    }

    /// The accessors of private properties have symbols with module visibility, and so must their replacements.
    private func word(_ access: SourceAccess, _ owner: Owner) -> String {
        switch min(access, owner.access) {
        case .open, .public: "public "
        case .package: "package "
        case .internal: ""
        case .private, .fileprivate: ""
        }
    }

    private mutating func note(_ type: MangledType, isPublic: Bool) {
        switch type {
        case .nominal(let declaration), .existential(let declaration): note(declaration.module, isPublic)
        case .generic(let declaration, let arguments):
            note(declaration.module, isPublic)
            for argument in arguments.joined() { note(argument, isPublic: isPublic) }
        case .optional(let wrapped): note(wrapped, isPublic: isPublic)
        case .any, .anyObject, .parameter: note("Swift", isPublic)
        }
    }

    private mutating func note(_ module: String, _ isPublic: Bool) {
        imports[module] = isPublic || imports[module] ?? false
    }

    private mutating func warn(_ property: NSManagedProperty, because failure: TypeResolution.Failure) {
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
