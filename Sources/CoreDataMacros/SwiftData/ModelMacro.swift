// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `@Model`: expands a class and its properties.

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// Diagnoses the whole class in its single call for members; its other calls report nothing.
public struct ModelMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro, LaidOutMacro {
    /// Generates the row of the instances, the initializer for rows of a store, and the schema of the class.
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let diagnostics = DiagnosticList()
        defer { for diagnostic in diagnostics.all { context.diagnose(diagnostic) } }
        guard let model = ModelClass(declaration, attribute: node, diagnostics) else { return [] }
        return ModelText(model, isSubclass: model.isSubclass(missing: protocols)).members
    }

    /// Attaches `@_PersistedProperty` to each property of the schema.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        if let initializer = member.as(InitializerDeclSyntax.self) {
            let isConvenience = initializer.modifiers.contains { $0.name.text == "convenience" }
            guard !isConvenience, initializer.body != nil,
                let model = ModelClass(declaration, attribute: node, DiagnosticList())
            else { return [] }
            let keeper = model.constants.isEmpty ? "" : ", \"\(model.keeper)\""
            return ["@_ModelInitializer(\(literal: model.state)\(raw: keeper))"]
        }
        guard let variable = member.as(VariableDeclSyntax.self),
            let property = ModelProperty(variable, DiagnosticList()), !property.isConstant,
            let model = ModelClass(declaration, attribute: node, DiagnosticList()),
            let place = model.properties.firstIndex(where: { $0.name == property.name })
        else { return [] }
        return ["@_PersistedProperty(\(raw: ModelSlot.text(place, in: model)), \(literal: model.state))"]
    }

    /// Adds the conformances that the class does not have from its superclass.
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self) else { return [] }
        let names = ["Observable": "Observation.Observable", "PersistentModel": "SwiftData.PersistentModel"]
        return try protocols.compactMap {
            names[$0.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""]
        }
        .map { try ExtensionDeclSyntax("extension \(type.trimmed): nonisolated \(raw: $0) {}") }
    }
}

/// The position of a property among those of its class and its superclasses, as text.
enum ModelSlot {
    static func text(_ place: Int, in model: ModelClass) -> String {
        model.firstInherited == nil ? "\(place)" : "\(model.name)._$base_\(model.name) + \(place)"
    }
}

/// Generates the members that `@Model` adds to a class.
struct ModelText {
    private let model: ModelClass
    private let isSubclass: Bool

    init(_ model: ModelClass, isSubclass: Bool) {
        self.model = model
        self.isSubclass = isSubclass
    }

    var members: [DeclSyntax] {
        entity + state + initialized + [initializer] + keeper + equality + slots + [schema]
    }

    private var access: String { model.accessPrefix }
    private var name: String { model.name }

    private var state: [DeclSyntax] {
        if isSubclass {
            return ["nonisolated \(raw: access)final let \(raw: model.state) = SwiftData._SubclassValues()"]
        }
        return [
            """
            @exclusivity(unchecked) nonisolated(unsafe) \(raw: access)final var \(raw: model.state) = SwiftData._ModelHold(SwiftData.ModelRow._make(\(raw: name)._$entity_\(raw: name)))
            """,
            "nonisolated \(raw: access)final var _$row: SwiftData.ModelRow { \(raw: model.state)._row }",
            "nonisolated \(raw: access)final func _$adopt(_ row: SwiftData.ModelRow) { \(raw: model.state) = SwiftData._ModelHold(row) }",
        ]
    }

    /// A variable without size for each property, which the property's init accessor initializes, so that the compiler
    /// reports properties that an initializer forgets. Members of the class macro, not peers of the property: fewer
    /// expansions.
    private var initialized: [DeclSyntax] {
        // The initializer for rows of a store belongs to no actor.
        let isolation = model.isOnMainActor ? "nonisolated(unsafe) " : ""
        return model.properties.filter { !$0.isConstant }.map { property in
            let initial = property.initial == nil && property.isOptional ? " = SwiftData._SwiftDataNoType()" : ""
            return "\(raw: isolation)private var _\(raw: property.name): SwiftData._SwiftDataNoType\(raw: initial)"
        }
    }

    /// The initial values in the class declaration are set before the body runs, and do nothing for rows of a store.
    private var initializer: DeclSyntax {
        let unset = model.properties.filter { $0.initial == nil && !$0.isOptional && !$0.isConstant }
        let read = model.constants.filter { $0.property.initial == nil }.map {
            "self.\($0.property.spelling) = _$row._load(\($0.place), \($0.property.metatype))"
        }
        let peers = unset.map { "_\($0.name) = SwiftData._SwiftDataNoType()" } + read
        let above = isSubclass ? ["super.init(_$row: _$row)", "\(model.state)._discard()"] : []
        // A constant with an initial value cannot be assigned.
        let restored = model.constants.filter { $0.property.initial != nil }.map {
            "SwiftData._restoreConstant(self, \(name).self, \(quoted($0.property.name)), _$row._load(\($0.place), "
                + "\($0.property.metatype), initial: self.\($0.property.spelling)))"
        }
        let last = above + restored
        return """
            nonisolated \(raw: access)required init(_$row: SwiftData.ModelRow) {
                \(raw: (peers + last).joined(separator: "\n"))
            }
            """
    }

    private var entity: [DeclSyntax] {
        [
            "nonisolated private static let _$entity_\(raw: name) = SwiftData._ClassEntity(\(raw: name).self)",
            """
            nonisolated \(raw: access)\(raw: isSubclass ? "override " : "")class var _$entity: SwiftData._ClassEntity { _$entity_\(raw: name) }
            """,
        ]
    }

    /// Constants have no accessors: a new instance writes them to its row.
    private var keeper: [DeclSyntax] {
        if model.constants.isEmpty { return [] }
        let statements = model.constants.map { "_$row._store(self.\($0.property.spelling), \($0.place))" }
        return [
            """
            nonisolated private final func \(raw: model.keeper)() {
                guard _$row._isNew else { return }
                \(raw: statements.joined(separator: "\n"))
            }
            """
        ]
    }

    /// The macro writes the conformance into an extension. There the compiler finds an `==` of the class twice, and
    /// takes neither, so it is named.
    private var equality: [DeclSyntax] {
        guard let own = model.equality, !isSubclass else { return [] }
        let isolation = own.modifiers.contains { $0.name.text == "nonisolated" } ? "nonisolated " : ""
        return [
            """
            @_implements(Equatable, ==(_:_:)) \(raw: isolation)\(raw: access)static func _$isEqual(_ one: \(raw: name), _ other: \(raw: name)) -> Bool { one == other }
            """
        ]
    }

    private var slots: [DeclSyntax] {
        let parent = model.firstInherited ?? ""
        let bare = parent.split(separator: ".").last.map(String.init) ?? ""
        let base = isSubclass ? "\(parent)._$end_\(bare)" : "0"
        return [
            "nonisolated \(raw: access)static var _$base_\(raw: name): Int { \(raw: base) }",
            "nonisolated \(raw: access)static var _$end_\(raw: name): Int { _$base_\(raw: name) + \(raw: model.properties.count) }",
        ]
    }

    private var schema: DeclSyntax {
        let variable = model.properties.isEmpty && model.unique == nil && model.index == nil ? "let" : "var"
        let statements = model.properties.map { "all.append(\(metadata($0)))" } + marks
        let body = (["\(variable) all: [SwiftData.Schema.PropertyMetadata] = []"] + statements + ["return all"])
            .joined(separator: "\n")
        return """
            nonisolated \(raw: access)\(raw: isSubclass ? "override " : "")class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
                \(raw: model.isOnMainActor ? "SwiftData._describe { @MainActor in\n\(body)\n}" : body)
            }
            """
    }

    private func metadata(_ property: ModelProperty) -> String {
        var arguments = ["\"\(property.name)\"", "\\\(name).\(property.spelling)"]
        if let initial = property.initial, !initial.is(NilLiteralExprSyntax.self) {
            arguments.append("default: \(initial.trimmedDescription)")
        }
        if let mark = property.attribute { arguments.append("SwiftData.Schema.Attribute(\(mark.argumentText ?? ""))") }
        if let mark = property.relationship {
            arguments.append(
                "SwiftData.Schema.Relationship(\(mark.argumentText ?? ""))\(mark.argument("inverse")?.is(NilLiteralExprSyntax.self) == true ? "._oneWay()" : "")"
            )
        }
        return "SwiftData.Schema.PropertyMetadata._of(\(arguments.joined(separator: ", ")))"
    }

    private var marks: [String] {
        [("Unique", model.unique), ("Index", model.index)].compactMap { kind, arguments in
            arguments.map {
                "all.append(SwiftData.Schema.PropertyMetadata(name: \"\", keypath: \\\(name).self, "
                    + "metadata: SwiftData.Schema.\(kind)<\(name)>(\($0))))"
            }
        }
    }
}
