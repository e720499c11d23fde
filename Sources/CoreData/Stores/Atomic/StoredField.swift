// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the stored properties of an entity, with one field for each element of a composite attribute.

struct StoredField {
    enum Kind {
        case attribute(NSAttributeDescription)
        case relationship(NSRelationshipDescription)
    }

    /// The name of the property, followed by the names of nested elements for a composite attribute.
    let path: [String]
    let slot: Int
    let kind: Kind

    /// Attributes first. Excludes transient properties, and attributes of types that no file stores.
    static func fields(of layout: EntityLayout) -> [StoredField] {
        layout.attributeSlots.flatMap { slot in
            layout.attribute(slot).map { $0.isTransient ? [] : fields($0, slot, path: []) } ?? []
        }
            + layout.relationshipSlots.compactMap { slot in
                guard let relationship = layout.relationship(slot), !relationship.isTransient else { return nil }
                return StoredField(path: [relationship.name], slot: slot, kind: .relationship(relationship))
            }
    }

    private static func fields(_ attribute: NSAttributeDescription, _ slot: Int, path: [String]) -> [StoredField] {
        let path = path + [attribute.name]
        if let composite = attribute as? NSCompositeAttributeDescription {
            return composite.elements.flatMap { fields($0, slot, path: path) }
        }
        switch attribute.attributeType {
        case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: return []
        default: return [StoredField(path: path, slot: slot, kind: .attribute(attribute))]
        }
    }
}
