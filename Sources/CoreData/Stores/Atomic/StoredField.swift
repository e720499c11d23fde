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

extension [String: Any] {
    /// Sets a value in nested dictionaries and creates missing ones.
    mutating func set(_ value: Any, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        if path.count == 1 {
            self[name] = value
        } else {
            var inner = self[name] as? [String: Any] ?? [:]
            inner.set(value, at: path.dropFirst())
            self[name] = inner
        }
    }

    /// The value in nested dictionaries; nil if it is null or missing.
    func value(at path: ArraySlice<String>) -> Any? {
        guard let name = path.first, let value = Snapshot.unwrapped(self[name]) else { return nil }
        if path.count == 1 { return value }
        return (value as? [String: Any])?.value(at: path.dropFirst())
    }
}
