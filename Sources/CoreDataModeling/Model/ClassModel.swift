// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the declarations of classes to a model document, like one from a file.

import CoreData
import CoreDataModelFiles

/// The classes of one model.
struct ClassModel {
    /// By entity name.
    private let declarations: [ClassDeclaration]
    private(set) var document = ModelDocument()

    /// - Throws: an error for classes without the macro. Other faults are found when the document becomes a model.
    init(_ classes: [NSManagedObject.Type]) throws(ClassModelError) {
        var faults = Self.undeclared(classes)
        var seen: Set<ObjectIdentifier> = []
        let all = classes.compactMap(ClassDeclaration.of).flatMap(Self.lineage)
            .filter { seen.insert(ObjectIdentifier($0._type)).inserted }
        declarations = all.sorted { ($0.entityName, $0.className) < ($1.entityName, $1.className) }
        faults += declarations.flatMap(Self.wrongDestinations)
        if !faults.isEmpty { throw ClassModelError(faults: faults) }
        document.entities = declarations.map(Self.entity)
    }

    private static func undeclared(_ classes: [NSManagedObject.Type]) -> [ClassModelError.Fault] {
        classes.filter { ClassDeclaration.of($0) == nil }.map {
            ClassModelError.Fault(
                className: String(describing: $0), property: nil, sentence: "the class is not marked '@ManagedObject'")
        }
    }

    private static func wrongDestinations(_ declaration: ClassDeclaration) -> [ClassModelError.Fault] {
        declaration.relationships.filter { ClassDeclaration.of($0.destination) == nil }.map {
            ClassModelError.Fault(
                className: declaration.className, property: $0.name,
                sentence: "its destination '\($0.destination)' is not marked '@ManagedObject'")
        }
    }

    /// A class and its superclasses, up to the root.
    private static func lineage(_ declaration: ClassDeclaration) -> [ClassDeclaration] {
        [declaration] + (declaration.parent.map(lineage) ?? [])
    }

    // MARK: Documents

    private static func entity(_ declaration: ClassDeclaration) -> ModelDocument.Entity {
        var entity = ModelDocument.Entity(name: declaration.entityName)
        let traits = declaration.traits
        entity.className = qualifiedName(declaration._type)
        entity.isAbstract = traits.isAbstract
        entity.superentityName = declaration.parent?.entityName
        entity.attributes = declaration.attributes.map(\.document).sorted { $0.traits.name < $1.traits.name }
        entity.relationships = declaration.relationships.map(relationship).sorted { $0.traits.name < $1.traits.name }
        entity.uniquenessConstraints = names(declaration, .unique).map { [$0] } + traits.uniqueness
        entity.indexes = names(declaration, .indexed).map(index) + traits.indexes.map(\.document)
        entity.renamingIdentifier = traits.originalName
        entity.versionHashModifier = traits.hashModifier
        entity.userInfo = traits.userInfo.mapValues { .string($0) }
        return entity
    }

    /// The name with the module and enclosing types; without the discriminator of a private class,
    /// as in `ObjectClasses`.
    private static func qualifiedName(_ type: NSManagedObject.Type) -> String {
        String(reflecting: type).replacing(/\(unknown context at [^)]*\)\./, with: "")
    }

    private static func names(_ declaration: ClassDeclaration, _ option: AttributeOption) -> [String] {
        declaration.attributes.filter { $0.traits.has(option) }.map(\.document.traits.name).sorted()
    }

    private static func index(over property: String) -> ModelDocument.FetchIndex {
        var index = ModelDocument.FetchIndex(name: ManagedIndex.name(over: [property]))
        index.elements = [ModelDocument.FetchIndex.Element(property: property)]
        return index
    }

    private static func relationship(_ declared: DeclaredRelationship) -> ModelDocument.Relationship {
        let destination = ClassDeclaration.of(declared.destination)?.entityName ?? ""
        return declared.traits.document(
            declared.name, declared.shape, destination: destination, mayBeNil: declared.mayBeNil)
    }

    /// - Throws: an error for classes outside of the model.
    func configurations(
        _ classes: [String: [NSManagedObject.Type]]
    ) throws(ClassModelError) -> [ModelDocument.Configuration] {
        let known = Set(declarations.map { ObjectIdentifier($0._type) })
        var faults: [ClassModelError.Fault] = []
        for (name, members) in classes.sorted(by: { $0.key < $1.key }) {
            for member in members where !known.contains(ObjectIdentifier(member)) {
                let sentence = "the configuration '\(name)' has the class, which is not in the model"
                faults.append(.init(className: String(describing: member), property: nil, sentence: sentence))
            }
        }
        if !faults.isEmpty { throw ClassModelError(faults: faults) }
        return classes.sorted { $0.key < $1.key }.map { name, members in
            let names = members.compactMap { ClassDeclaration.of($0)?.entityName }
            return ModelDocument.Configuration(name: name, entityNames: names.sorted())
        }
    }

    // MARK: The model

    /// Replaces entity names in faults by class names.
    func named(_ faults: [(entity: String?, property: String?, sentence: String)]) -> [ClassModelError.Fault] {
        let classNames = Dictionary(
            declarations.map { ($0.entityName, $0.className) }, uniquingKeysWith: { first, _ in first })
        return faults.map { fault in
            let className = fault.entity.map { classNames[$0] ?? $0 }
            return ClassModelError.Fault(className: className, property: fault.property, sentence: fault.sentence)
        }
    }

    /// Adds the parts that no document can contain: the classes themselves, and default values
    /// of transformable attributes.
    func complete(_ model: NSManagedObjectModel) {
        let entities = model.entitiesByName
        for declaration in declarations {
            declaration._type.makeFindable()
            let attributes = entities[declaration.entityName]?.attributesByName ?? [:]
            for declared in declaration.attributes {
                if let initial = declared.initial {
                    attributes[declared.document.traits.name]?.defaultValue = initial.value
                }
            }
        }
    }
}
