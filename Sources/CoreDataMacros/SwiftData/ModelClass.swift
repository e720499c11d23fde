// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class with `@Model`, read from its syntax.

import SwiftSyntax

struct ModelClass {
    let name: String
    /// In the spelling of the source; the first inherited type, which may be a protocol.
    let firstInherited: String?
    /// "public " or "package "; empty for other levels, which members need not repeat.
    let accessPrefix: String
    /// In the order of their slots.
    let properties: [ModelProperty]
    /// The arguments of `#Unique` and of `#Index` in the class; nil for none.
    let unique: String?
    let index: String?
    let hasInitializer: Bool
    /// The `==` that the class declares in its body; nil for none.
    let equality: FunctionDeclSyntax?
    /// Whether it is marked `@MainActor`: then only code of the main actor can form its key paths.
    let isOnMainActor: Bool

    /// The name of the stored property with the row. It contains the class's name, since a superclass has such a
    /// property, too.
    var state: String { Self.state(of: name) }

    /// The name of the method that writes constants to the row.
    var keeper: String { "_$keep_\(name)" }

    /// The constants, each with its slot and its key.
    var constants: [(property: ModelProperty, place: String)] {
        properties.enumerated().filter(\.element.isConstant).map {
            ($0.element, "\(ModelSlot.text($0.offset, in: self)), \(quoted($0.element.name))")
        }
    }

    static func state(of name: String) -> String { "_$row_\(name)" }

    /// Diagnoses declarations that cannot be models and returns nil for them.
    init?(_ group: some DeclGroupSyntax, attribute: AttributeSyntax, _ diagnostics: DiagnosticList) {
        guard let declaration = group.as(ClassDeclSyntax.self) else {
            diagnostics.noModelClass(group)
            return nil
        }
        if let parameters = declaration.genericParameterClause {
            diagnostics.error(parameters, "a model class cannot be generic: a schema names its classes")
            return nil
        }
        name = declaration.name.text
        firstInherited = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
        let level = AccessLevel.word(declaration.modifiers, of: ["open", "public", "package"])
        accessPrefix = level.isEmpty ? "" : (level == "open" ? "public" : level) + " "
        let members = declaration.memberBlock.members.map(\.decl)
        properties = members.compactMap { $0.as(VariableDeclSyntax.self) }
            .compactMap { ModelProperty($0, diagnostics) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        hasInitializer = members.contains { $0.is(InitializerDeclSyntax.self) }
        let functions = members.compactMap { $0.as(FunctionDeclSyntax.self) }
        equality = functions.first { [name] in Self.isEquality($0, of: name) }
        isOnMainActor = ModelSurroundings.isOnMainActor(declaration.attributes)
        let marks = members.compactMap { $0.as(MacroExpansionDeclSyntax.self) }
        unique = Self.arguments("Unique", marks, diagnostics)
        index = Self.arguments("Index", marks, diagnostics)
        for block in members.compactMap({ $0.as(IfConfigDeclSyntax.self) }) { diagnostics.conditionalModel(block) }
        if !hasInitializer { diagnostics.noInitializer(declaration, properties) }
    }

    /// Whether a function compares two instances of the class.
    private static func isEquality(_ function: FunctionDeclSyntax, of name: String) -> Bool {
        let types = function.signature.parameterClause.parameters.map { parameter in
            parameter.type.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        }
        return function.name.text == "==" && types.count == 2 && types.allSatisfy { [name, "Self"].contains($0) }
    }

    /// Whether the class inherits from another model: then the compiler requests no conformance.
    ///
    /// - Parameter missing: the conformances that the compiler requests from the macro.
    func isSubclass(missing: [TypeSyntax]) -> Bool {
        guard let firstInherited, !firstInherited.hasSuffix("PersistentModel") else { return false }
        return !missing.contains { $0.trimmedDescription.hasSuffix("PersistentModel") }
    }

    private static func arguments(
        _ name: String, _ marks: [MacroExpansionDeclSyntax], _ diagnostics: DiagnosticList
    ) -> String? {
        let found = marks.filter { $0.macroName.text == name }
        for repeated in found.dropFirst() {
            diagnostics.error(
                repeated, "a class has one '#\(name)': give it all lists, as in '#\(name)<Book>([\\.title], [\\.isbn])'"
            )
        }
        guard let first = found.first, !first.arguments.isEmpty else { return nil }
        return first.arguments.trimmedDescription
    }
}
