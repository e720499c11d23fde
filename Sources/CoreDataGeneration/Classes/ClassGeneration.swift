// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates the classes of a model's entities, or reports why that is impossible.

import CoreDataModelFiles

/// The classes of one model.
package struct ClassGeneration {
    /// Source code by entity, for entities with generated code.
    package private(set) var sources: [String: String] = [:]
    package private(set) var diagnostics: [Diagnostic] = []
    /// The slot signature of each class.
    private(set) var signatures: [String: String] = [:]
    /// The entity of each class.
    private(set) var owners: [String: String] = [:]
    private let model: GenerationModel
    private let classes: EntityClasses

    /// - Parameters:
    ///   - module: the module of the generated classes, if known.
    ///   - everything: whether to generate whole classes also for entities with classes that the program declares.
    package init(
        _ model: GenerationModel, options: GenerationOptions, module: String? = nil, everything: Bool = false
    ) {
        self.init(model, options: options, module: module, everything: everything, declarations: SourceIndex())
    }

    init(
        _ model: GenerationModel, options: GenerationOptions, module: String?, everything: Bool,
        declarations: SourceIndex
    ) {
        self.model = model
        classes = EntityClasses(hierarchy: ModelHierarchy(model.document), module: module)
        for entity in model.document.entities {
            let wanted = classes.part(entity)
            guard let name = classes.className(entity) else { continue }
            let part = everything && wanted == .nothing && !name.contains(".") ? .wholeClass : wanted
            guard part != .nothing else { continue }
            if let other = owners.updateValue(entity.name, forKey: name) {
                complain(
                    entity.name, nil,
                    "Its class '\(name)' is that of '\(other)', too: give one of them another class, or none.")
            }
            inspect(entity, name)
            if part == .wholeClass, let module { refuseSecond(name, of: entity.name, module, declarations) }
            sources[entity.name] = ClassWriter.text(
                entity, name, part, classes, options,
                isIdentifiable: isFirst(entity) && !declarations.conforms(name, to: "Identifiable"),
                enumeration: declarations.enumeration)
            signatures[name] = SlotNumbers(entity, in: classes.hierarchy).signature
        }
    }

    /// Without this check the compiler would report the duplicate declaration in a generated file.
    private mutating func refuseSecond(_ name: String, of entity: String, _ module: String, _ declarations: SourceIndex)
    {
        guard let written = declarations.type(name, module: module)?.type, written.kind == .class,
            written.conditions.isEmpty
        else { return }
        diagnostics.append(
            Diagnostic(
                .error, written.file, line: written.line,
                "The class '\(name)' is written here, and Codegen of the entity '\(entity)' in \(model.name) is Class Definition, which "
                    + "writes it, too: set Codegen to Category/Extension or to Manual/None, or remove this class."))
    }

    /// The conflicts with the classes of another model.
    func clashes(with other: ClassGeneration) -> [Diagnostic] {
        owners.sorted { $0.key < $1.key }.compactMap { name, entity in
            guard let twin = other.owners[name] else { return nil }
            return Diagnostic(
                .error, model.file, line: model.lines.line(entity),
                "'\(entity)': Its class '\(name)' is generated for '\(twin)' in \(other.model.name), too: set Codegen to Manual in "
                    + "one of the models, or give one of the entities another class.")
        }
    }

    /// The start of every generated file.
    ///
    /// - Parameter isPublic: whether public declarations follow. With internal imports by default, their imports
    /// must be public.
    package static func header(_ model: String, isPublic: Bool) -> String {
        """
        // Generated from \(model). Do not edit: it is written anew when the model changes.

        \(isPublic ? "public " : "")import CoreData


        """
    }

    /// Whether no superentity's generated class already declares the conformances.
    private func isFirst(_ entity: ModelDocument.Entity) -> Bool {
        classes.hierarchy.lineage(of: entity).dropFirst().allSatisfy { classes.className($0) == nil }
    }

    private mutating func inspect(_ entity: ModelDocument.Entity, _ name: String) {
        if !ModelNames.isIdentifier(name) {
            complain(entity.name, nil, "Its class '\(name)' has no name that Swift takes.")
        }
        for property in entity.propertyNames where SwiftNames.taken.contains(property) || property == "_" {
            complain(entity.name, property, "A class cannot have a property of this name; rename it.")
        }
        for attribute in entity.attributes {
            let kind = AttributeKind(rawValue: attribute.type)
            if let enumeration = attribute.enumerationName {
                if ![.integer16, .integer32, .integer64, .string].contains(kind) {
                    complain(
                        entity.name, attribute.traits.name,
                        "Its user info names the enumeration '\(enumeration)', but only whole numbers and strings are raw values here."
                    )
                }
                if TypeParser.type(enumeration)?.simpleName == nil {
                    complain(entity.name, attribute.traits.name, "'\(enumeration)' is no name of an enumeration.")
                }
            }
            if kind == .transformable, let custom = attribute.valueClassName, TypeParser.type(custom) == nil {
                complain(
                    entity.name, attribute.traits.name, "Its class '\(custom)' is no type of Swift; NSObject is used.",
                    .warning)
            }
        }
    }

    private mutating func complain(
        _ entity: String, _ property: String?, _ sentence: String, _ severity: Diagnostic.Severity = .error
    ) {
        let title = [entity, property].compactMap(\.self).joined(separator: ".")
        diagnostics.append(
            Diagnostic(severity, model.file, line: model.lines.line(entity, property), "'\(title)': \(sentence)"))
    }
}
