// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks a model before files and classes are generated from it.

package import CoreDataModelFiles

/// Finds faults in a document that would make the compiled model unusable, and probable mistakes.
///
/// The run time checks models again and more thoroughly (`ModelCheck` parses predicates and expressions). This check
/// reports the faults that a build can locate by file and line.
package struct ModelInspection {
    private let document: ModelDocument
    private let hierarchy: ModelHierarchy
    private let file: String
    private let lines: ModelSourceLines
    private var found: [Diagnostic] = []

    package static func diagnostics(
        _ document: ModelDocument, file: String, lines: ModelSourceLines
    ) -> [Diagnostic] {
        var act = ModelInspection(
            document: document, hierarchy: ModelHierarchy(document), file: file, lines: lines)
        act.run()
        return act.found.sorted { ($0.line, $0.message) < ($1.line, $1.message) }
    }

    private init(document: ModelDocument, hierarchy: ModelHierarchy, file: String, lines: ModelSourceLines) {
        self.document = document
        self.hierarchy = hierarchy
        self.file = file
        self.lines = lines
    }

    private mutating func run() {
        var names: Set<String> = []
        for entity in document.entities {
            if !names.insert(entity.name).inserted { error(entity.name, nil, "There are two entities of this name.") }
            inspect(entity)
        }
        for configuration in document.configurations {
            for name in configuration.entityNames where hierarchy.entities[name] == nil {
                error(nil, nil, "The configuration '\(configuration.name)' names '\(name)', which is no entity.")
            }
        }
    }

    private mutating func inspect(_ entity: ModelDocument.Entity) {
        if let sentence = ModelNames.fault(ofEntity: entity.name) { error(entity.name, nil, "Its name: \(sentence).") }
        if let name = entity.superentityName {
            if hierarchy.entities[name] == nil {
                error(entity.name, nil, "Its superentity '\(name)' is not in the model.")
            } else if isInCycle(entity) {
                return error(entity.name, nil, "It inherits from itself.")
            }
        }
        inspectNames(of: entity)
        for attribute in entity.attributes { inspect(attribute, of: entity) }
        for relationship in entity.relationships { inspect(relationship, of: entity) }
        for property in entity.fetchedProperties where hierarchy.entities[property.request.entityName] == nil {
            error(entity.name, property.traits.name, "It fetches '\(property.request.entityName)', which is no entity.")
        }
    }

    private mutating func inspectNames(of entity: ModelDocument.Entity) {
        var inherited: [String: String] = [:]
        for ancestor in hierarchy.lineage(of: entity).dropFirst() {
            for name in ancestor.propertyNames { inherited[name] = ancestor.name }
        }
        var seen: Set<String> = []
        for name in entity.propertyNames {
            if let sentence = ModelNames.fault(ofProperty: name) {
                error(entity.name, name, "Its name: \(sentence).")
            }
            if !seen.insert(name).inserted { error(entity.name, name, "There are two properties of this name.") }
            if let other = inherited[name] {
                error(entity.name, name, "'\(other)', which the entity inherits from, has a property of this name.")
            }
        }
    }

    private mutating func inspect(_ attribute: ModelDocument.Attribute, of entity: ModelDocument.Entity) {
        let name = attribute.traits.name
        if attribute.type == AttributeKind.undefined.rawValue, !attribute.traits.isTransient {
            error(entity.name, name, "An attribute that is stored needs a type.")
        }
        if attribute.derivationExpression == "" { error(entity.name, name, "A derived attribute needs a derivation.") }
        if attribute.type == AttributeKind.composite.rawValue, hierarchy.elements(of: attribute).isEmpty {
            let type = attribute.compositeName.map { "'\($0)', which the model does not declare" } ?? "none"
            error(entity.name, name, "A composite attribute needs a composite type with elements; it has \(type).")
        }
    }

    private mutating func inspect(_ relationship: ModelDocument.Relationship, of entity: ModelDocument.Entity) {
        let (name, target) = (relationship.traits.name, relationship.destinationEntityName)
        guard let destination = hierarchy.entities[target] else {
            return error(
                entity.name, name,
                target.isEmpty ? "It has no destination." : "Its destination '\(target)' is no entity.")
        }
        guard let inverseName = relationship.inverseName, !inverseName.isEmpty else {
            if hierarchy.inverse(of: relationship, in: entity) == nil {
                warning(entity.name, name, "It should have an inverse; without one nothing keeps both ends in step.")
            }
            return
        }
        guard let inverse = hierarchy.namedInverse(of: relationship) else {
            return error(entity.name, name, "Its inverse '\(inverseName)' is no relationship of '\(target)'.")
        }
        guard hierarchy.isKind(destination, of: inverse.entity) || hierarchy.isKind(inverse.entity, of: destination)
        else {
            return error(
                entity.name, name,
                "Its inverse '\(inverse.entity.name).\(inverseName)' is no relationship of its destination '\(target)'."
            )
        }
        if let back = hierarchy.namedInverse(of: inverse.relationship),
            (back.entity.name, back.name) != (entity.name, name)
        {
            warning(
                entity.name, name,
                "Its inverse '\(inverse.entity.name).\(inverseName)' has another inverse, "
                    + "'\(back.entity.name).\(back.name)'; nothing keeps its two ends in step."
            )
        }
    }

    private func isInCycle(_ entity: ModelDocument.Entity) -> Bool {
        hierarchy.lineage(of: entity).last?.superentityName.flatMap { hierarchy.entities[$0] } != nil
    }

    private mutating func error(_ entity: String?, _ property: String?, _ sentence: String) {
        note(.error, entity, property, sentence)
    }

    private mutating func warning(_ entity: String?, _ property: String?, _ sentence: String) {
        note(.warning, entity, property, sentence)
    }

    private mutating func note(
        _ severity: Diagnostic.Severity, _ entity: String?, _ property: String?, _ sentence: String
    ) {
        let title = [entity, property].compactMap(\.self).joined(separator: ".")
        found.append(
            Diagnostic(
                severity, file, line: lines.line(entity, property), title.isEmpty ? sentence : "'\(title)': \(sentence)"
            ))
    }
}

extension ModelDocument.Entity {
    package var propertyNames: [String] {
        attributes.map(\.traits.name) + relationships.map(\.traits.name) + fetchedProperties.map(\.traits.name)
    }
}
