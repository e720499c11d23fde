// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the source code of one entity's class, or of its properties.

import CoreDataModelFiles

/// The text of one file. Members are in an extension, as in Xcode's classes, so that calls are direct and need
/// no method table.
struct ClassWriter {
    private let entity: ModelDocument.Entity
    private let name: String
    private let classes: EntityClasses
    private let options: GenerationOptions
    private let slots: SlotNumbers
    private let types: PropertyTypes
    private let enumeration: (String) -> DeclaredType?
    private var lines: [String] = []

    /// - Parameters:
    ///   - part: anything but `.nothing`.
    ///   - isIdentifiable: whether to declare the conformance here.
    static func text(
        _ entity: ModelDocument.Entity, _ name: String, _ part: EntityClasses.Part, _ classes: EntityClasses,
        _ options: GenerationOptions, isIdentifiable: Bool, enumeration: @escaping (String) -> DeclaredType?
    ) -> String {
        var writer = ClassWriter(
            entity: entity, name: name, classes: classes, options: options,
            slots: SlotNumbers(entity, in: classes.hierarchy),
            types: PropertyTypes(style: options.style, className: { SwiftNames.escaped(classes.swiftName($0)) }),
            enumeration: enumeration)
        if part == .wholeClass { writer.writeClass() }
        writer.writeProperties()
        for relationship in entity.relationships where relationship.maxCount != 1 { writer.writeMutators(relationship) }
        if options.style == .modern { writer.writeModernTypes() }
        if isIdentifiable { writer.lines += ["extension \(writer.typeName): Identifiable {}", ""] }
        return writer.lines.joined(separator: "\n")
    }

    private init(
        entity: ModelDocument.Entity, name: String, classes: EntityClasses, options: GenerationOptions,
        slots: SlotNumbers, types: PropertyTypes, enumeration: @escaping (String) -> DeclaredType?
    ) {
        self.entity = entity
        self.name = name
        self.classes = classes
        self.options = options
        self.slots = slots
        self.types = types
        self.enumeration = enumeration
    }

    private var typeName: String { SwiftNames.escaped(name) }
    private var access: String { options.access == .public ? "public " : "" }

    private mutating func writeClass() {
        lines += [
            "\(access)class \(typeName): \(SwiftNames.escaped(classes.superclass(of: entity))) {",
            "    \(access)override class var _slots: StaticString { \(SwiftNames.quoted(slots.signature)) }",
            "}", "",
        ]
    }

    // MARK: Properties

    /// A property with its declaration.
    private struct Property {
        var name: String
        var type: TypeSyntax
        var fallback: String?
    }

    private func properties(of entity: ModelDocument.Entity) -> [Property] {
        entity.attributes.map {
            Property(name: $0.traits.name, type: types.type(of: $0), fallback: fallback($0))
        } + entity.relationships.map { Property(name: $0.traits.name, type: types.type(of: $0)) }
            + entity.fetchedProperties.map { Property(name: $0.traits.name, type: types.type(of: $0)) }
    }

    /// The default value of an enumeration, for unknown raw values.
    private func fallback(_ attribute: ModelDocument.Attribute) -> String? {
        guard let name = attribute.enumerationName else { return nil }
        switch attribute.defaultValue {
        case .integer(let number)?:
            return "\(name)(rawValue: \(number)) ?? _missing(\(SwiftNames.quoted(attribute.traits.name)))"
        case .string(let text)?:
            return
                "\(name)(rawValue: \(SwiftNames.quoted(text))) ?? _missing(\(SwiftNames.quoted(attribute.traits.name)))"
        default: return nil
        }
    }

    private mutating func writeProperties() {
        lines += [
            "extension \(typeName) {",
            "    @nonobjc \(access)class func fetchRequest() -> NSFetchRequest<\(typeName)> {",
            "        NSFetchRequest<\(typeName)>(entityName: \(SwiftNames.quoted(entity.name)))", "    }",
        ]
        for property in properties(of: entity) {
            let body = AccessorBody(
                property.type, key: property.name, use: slots[property.name], fallback: property.fallback,
                enumeration: { enumeration($0) ?? Self.assumed($0, entity, property.name) })
            lines += [
                "", "    \(access)var \(SwiftNames.escaped(property.name)): \(property.type.text) {",
                "        get { \(body.getter) }",
            ]
            if !isReadOnly(property.name) { lines.append("        set { \(body.setter) }") }
            lines.append("    }")
        }
        lines += ["}", ""]
    }

    private func isReadOnly(_ name: String) -> Bool {
        entity.fetchedProperties.contains { $0.traits.name == name }
    }

    /// An enumeration that the model names and the scanned sources lack. It is assumed to exist, with raw values of
    /// the attribute's type.
    private static func assumed(_ name: String, _ entity: ModelDocument.Entity, _ key: String) -> DeclaredType? {
        guard let attribute = entity.attributes.first(where: { $0.traits.name == key }),
            attribute.enumerationName == name
        else { return nil }
        let raw =
            switch AttributeKind(rawValue: attribute.type) {
            case .integer16: "Int16"
            case .integer32: "Int32"
            case .integer64: "Int64"
            default: "String"
            }
        return DeclaredType(
            kind: .enum, path: name, access: .internal, isGeneric: false, inherited: [.name(raw)], conditions: [],
            file: "", line: 0)
    }

    // MARK: To-manys

    private mutating func writeMutators(_ relationship: ModelDocument.Relationship) {
        lines += ["extension \(typeName) {"]
        let destination = SwiftNames.escaped(classes.swiftName(relationship.destinationEntityName))
        let mutators = ToManyMutators(
            key: relationship.traits.name, destination: destination, isOrdered: relationship.isOrdered,
            style: options.style)
        for (declaration, body) in mutators.methods {
            lines += ["    \(access)func \(declaration) {", "        \(body)", "    }", ""]
        }
        lines.removeLast()
        lines += ["}", ""]
    }

    // MARK: Modern form

    private mutating func writeModernTypes() {
        let all = classes.hierarchy.lineage(of: entity).reversed().flatMap { properties(of: $0) }
        lines += [
            "extension \(typeName) {", "    /// The names of the properties.",
            "    \(access)enum Keys: String, CaseIterable, Sendable {",
        ]
        // An enumeration with a raw type needs at least one case.
        lines += all.map { "        case \(SwiftNames.escaped($0.name))" }
        if all.isEmpty { lines.append("        case objectID") }
        lines += ["    }", "", "    /// The values of an object at one moment, without the object."]
        lines.append("    \(access)struct Values: Sendable {")
        let fields = [("objectID", "NSManagedObjectID", "objectID")] + all.compactMap { sendable($0) }
        lines += fields.map { "        \(access)var \($0.0): \($0.1)" }
        lines += [
            "", "        /// Fires the object's fault. On the object's queue.",
            "        \(access)init(_ object: \(typeName)) {",
        ]
        lines += fields.map { "            \($0.0) = object.\($0.2)" }
        lines += ["        }", "    }", "}", ""]
    }

    /// The field, its type, and the member it is read from; nil for a type that is not sendable.
    private func sendable(_ property: Property) -> (String, String, String)? {
        let name = SwiftNames.escaped(property.name)
        if slots[property.name]?.kind == .toOne {
            return ("\(property.name)ID", "NSManagedObjectID?", "\(name)?.objectID")
        }
        switch PropertyKind(property.type, enumeration: { _ in nil }) {
        case .integer, .boolean, .real, .decimal, .string, .date: return (name, property.type.text, name)
        case .plain where ["Data", "UUID", "URL"].contains(property.type.unwrapped.simpleName):
            return (name, property.type.text, name)
        default: return nil
        }
    }
}
