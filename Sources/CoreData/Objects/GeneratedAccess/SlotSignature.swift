// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the slot numbers of a generated class with those of the loaded model.

import Foundation

/// The properties of an entity in the order of their slots, as generated classes spell them: "badge:i department:r
/// name:s".
///
/// Inherited properties come first, in their order in the superentity, then the entity's other properties, sorted by
/// the bytes of their names. The letters: i integer, b Boolean, f float, d double, t date, s string, x any other value,
/// r to-one, m to-many, o ordered to-many, q fetched property.
struct SlotSignature {
    let text: String

    init(_ layout: EntityLayout) {
        text = (0..<layout.slotCount).map { "\(layout.properties[$0].name):\(Self.letter(layout[$0]))" }
            .joined(separator: " ")
    }

    /// A class of a superentity knows only the first slots. A class that declares nothing matches nothing.
    func begins(with declared: String) -> Bool {
        guard !declared.isEmpty, text.utf8.starts(with: declared.utf8) else { return false }
        let rest = text.utf8.dropFirst(declared.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: " ")
    }

    /// The signature that a macro or a generator wrote into a class, if any.
    static func declared(by type: NSManagedObject.Type) -> String {
        type._declaration?._signature ?? GeneratedClassLists.signature(of: type).description
    }

    /// An entity with the properties that a class was generated with; nil for a class that does not declare them.
    ///
    /// It is used to find the names of key paths (`KeyPathNaming`): it has no model, its relationships have no
    /// destination entities, and it lacks everything that the letters do not express.
    static func declaredEntity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        let properties = declared(by: type).split(separator: " ").compactMap { part -> NSPropertyDescription? in
            guard let colon = part.lastIndex(of: ":"), let letter = part[part.index(after: colon)...].first else {
                return nil
            }
            return property(String(part[..<colon]), letter)
        }
        guard !properties.isEmpty else { return nil }
        let entity = NSEntityDescription()
        entity.name = String(describing: type)
        entity.properties = properties
        return entity
    }

    private static func property(_ name: String, _ letter: Character) -> NSPropertyDescription {
        let types: [Character: NSAttributeType] = [
            "i": .integer64AttributeType, "b": .booleanAttributeType, "f": .floatAttributeType,
            "d": .doubleAttributeType, "t": .dateAttributeType, "s": .stringAttributeType,
        ]
        let property: NSPropertyDescription
        switch letter {
        case "r", "m", "o":
            let relationship = NSRelationshipDescription()
            relationship.maxCount = letter == "r" ? 1 : 0
            relationship.isOrdered = letter == "o"
            property = relationship
        default:
            let attribute = NSAttributeDescription()
            attribute.attributeType = types[letter] ?? .undefinedAttributeType
            property = attribute
        }
        property.name = name
        return property
    }

    private static func letter(_ place: SlotDescriptor) -> Character {
        switch place.kind {
        case .integer: "i"
        case .boolean: "b"
        case .float: "f"
        case .double: "d"
        case .date: "t"
        case .string: "s"
        case .box: "x"
        case .reference: "r"
        case .toMany: place.isOrdered ? "o" : "m"
        case .fetched: "q"
        }
    }
}
