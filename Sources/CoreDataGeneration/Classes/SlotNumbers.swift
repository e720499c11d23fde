// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the slots that the properties of an entity will have at run time.

import CoreDataModelFiles

/// Numbers properties like the run time (`EntityLayout`): inherited ones first, as in the superentity, then the
/// entity's own ones in the byte order of their names. The letters are those of `SlotSignature`.
struct SlotNumbers {
    /// For example "badge:i department:r name:s". The run time compares it with the loaded model.
    let signature: String
    private let places: [String: SlotUse]

    init(_ entity: ModelDocument.Entity, in hierarchy: ModelHierarchy) {
        var names: [String] = []
        var places: [String: SlotUse] = [:]
        for member in hierarchy.lineage(of: entity).reversed() {
            for (name, kind) in Self.kinds(of: member).sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
                places[name] = SlotUse(slot: names.count, kind: kind)
                names.append("\(name):\(kind.rawValue)")
            }
        }
        signature = names.joined(separator: " ")
        self.places = places
    }

    subscript(name: String) -> SlotUse? { places[name] }

    private static func kinds(of entity: ModelDocument.Entity) -> [(String, SlotUse.Kind)] {
        entity.attributes.map { ($0.traits.name, SlotUse.Kind($0)) }
            + entity.relationships.map { relationship in
                let toMany: SlotUse.Kind = relationship.isOrdered ? .ordered : .toMany
                return (relationship.traits.name, relationship.maxCount == 1 ? .toOne : toMany)
            } + entity.fetchedProperties.map { ($0.traits.name, .fetched) }
    }
}

/// A slot and the storage of its value.
struct SlotUse: Equatable {
    enum Kind: Character {
        case integer = "i"
        case boolean = "b"
        case float = "f"
        case double = "d"
        case date = "t"
        case string = "s"
        case box = "x"
        case toOne = "r"
        case toMany = "m"
        case ordered = "o"
        case fetched = "q"

        init(_ attribute: ModelDocument.Attribute) {
            self =
                switch AttributeKind(rawValue: attribute.type) {
                case .integer16, .integer32, .integer64: .integer
                case .boolean: .boolean
                case .float: .float
                case .double: .double
                case .date: .date
                case .string: .string
                default: .box
                }
        }
    }

    let slot: Int
    let kind: Kind
}
