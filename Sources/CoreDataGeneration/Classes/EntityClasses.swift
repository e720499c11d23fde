// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Determines the class of each entity and the part of it to generate.

package import CoreDataModelFiles

/// A model with its generated classes.
package struct GenerationModel: Sendable {
    /// The name of the bundle, for comments.
    package let name: String
    package let document: ModelDocument
    /// The file name for messages.
    package let file: String
    package let lines: ModelSourceLines

    package init(name: String, document: ModelDocument, file: String, lines: ModelSourceLines) {
        self.name = name
        self.document = document
        self.file = file
        self.lines = lines
    }
}

/// Looks up classes for entities of one model.
struct EntityClasses {
    enum Part {
        case nothing
        /// Properties in an extension of a class that the program declares.
        case properties
        case wholeClass
    }

    let hierarchy: ModelHierarchy
    /// The module of the generated code; nil if unknown.
    let module: String?

    /// The class in the spelling of the module's source code; nil for `NSManagedObject` itself.
    func className(_ entity: ModelDocument.Entity) -> String? {
        guard var name = entity.className, !name.isEmpty, name != "NSManagedObject" else { return nil }
        if name.hasPrefix(".") { name.removeFirst() }
        if let module, name.hasPrefix(module + ".") { name.removeFirst(module.count + 1) }
        return name
    }

    /// The class of an entity, or of the nearest superentity with a class.
    func swiftName(_ entity: String) -> String {
        guard let entity = hierarchy.entities[entity] else { return "NSManagedObject" }
        return hierarchy.lineage(of: entity).lazy.compactMap { className($0) }.first ?? "NSManagedObject"
    }

    func superclass(of entity: ModelDocument.Entity) -> String {
        entity.superentityName.map { swiftName($0) } ?? "NSManagedObject"
    }

    /// `.nothing` for classes of other modules, which generate them.
    func part(_ entity: ModelDocument.Entity) -> Part {
        guard let name = className(entity), !name.contains(".") else { return .nothing }
        switch entity.codeGeneration {
        case "class": return .wholeClass
        case "category": return .properties
        default: return .nothing
        }
    }
}
