// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Assigns names to the composite types of compiled models, because sources require them.

import Foundation

/// Compiled models contain the elements of a composite attribute directly; a source declares them once, as
/// a named type.
struct CompositeNaming {
    private var composites: [ModelDocument.Composite]

    /// The document with a declared type for every composite attribute. Equal elements share a type.
    static func named(_ document: ModelDocument) -> ModelDocument {
        var act = CompositeNaming(composites: document.composites)
        var result = document
        for entity in result.entities.indices {
            result.entities[entity].attributes = result.entities[entity].attributes.map { act.named($0) }
        }
        result.composites = act.composites.sorted { $0.name < $1.name }
        return result
    }

    private mutating func named(_ attribute: ModelDocument.Attribute) -> ModelDocument.Attribute {
        guard !attribute.elements.isEmpty, attribute.compositeName == nil else { return attribute }
        var attribute = attribute
        let elements = attribute.elements.map { named($0) }
        attribute.elements = elements
        attribute.compositeName = name(for: elements, attribute.traits.name)
        return attribute
    }

    private mutating func name(for elements: [ModelDocument.Attribute], _ wish: String) -> String {
        if let known = composites.first(where: { $0.elements == elements }) { return known.name }
        let base = wish.prefix(1).uppercased() + wish.dropFirst()
        let taken = Set(composites.map(\.name))
        let name = ([base] + (2...taken.count + 2).map { "\(base)\($0)" }).first { !taken.contains($0) } ?? base
        composites.append(ModelDocument.Composite(name: name, elements: elements))
        return name
    }
}
