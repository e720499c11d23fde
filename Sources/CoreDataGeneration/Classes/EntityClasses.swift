// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which entity has which class, and what is generated of it.

package import CoreDataModelFiles

/// A model to generate classes of.
package struct GenerationModel: Sendable {
    /// Of the bundle, for comments.
    package let name: String
    package let document: ModelDocument
    /// The file that messages name.
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
        /// Properties in an extension of the user's class.
        case properties
        case wholeClass
    }

    let hierarchy: ModelHierarchy
    /// The module that is generated for; nil where that is not known.
    let module: String?

    /// The class as Swift source of the module spells it; nil for `NSManagedObject` itself.
    func className(_ entity: ModelDocument.Entity) -> String? {
        guard var name = entity.className, !name.isEmpty, name != "NSManagedObject" else { return nil }
        if name.hasPrefix(".") { name.removeFirst() }
        if let module, name.hasPrefix(module + ".") { name.removeFirst(module.count + 1) }
        return name
    }

    /// The class of an entity, or of the nearest superentity that has one.
    func swiftName(_ entity: String) -> String {
        guard let entity = hierarchy.entities[entity] else { return "NSManagedObject" }
        return hierarchy.lineage(of: entity).lazy.compactMap { className($0) }.first ?? "NSManagedObject"
    }

    func superclass(of entity: ModelDocument.Entity) -> String {
        entity.superentityName.map { swiftName($0) } ?? "NSManagedObject"
    }

    /// Nothing for classes of other modules: they are generated there.
    func part(_ entity: ModelDocument.Entity) -> Part {
        guard let name = className(entity), !name.contains(".") else { return .nothing }
        switch entity.codeGeneration {
        case "class": return .wholeClass
        case "category": return .properties
        default: return .nothing
        }
    }
}
