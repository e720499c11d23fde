// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The position and form of a property's value in a row.

/// The form of a slot's value in a snapshot.
package enum SlotKind: UInt8 {
    /// One word: integers of 16, 32 and 64 bits.
    case integer
    /// No word: a bit after the null bits.
    case boolean
    case float
    case double
    /// One word: seconds since 2001-01-01 UTC.
    case date
    /// Two words: a Swift string in place.
    case string
    /// One word: the key of the destination; two if the destination has subentities (then its entity's index as well).
    case reference
    /// One word: a strong reference to a `ValueBox` (data, decimals, UUIDs, URIs, transformables, composites, untyped).
    case box
    /// No word: members are stored in the object or in link rows, never in a snapshot.
    case toMany
    /// No word: a fetched property.
    case fetched
}

/// The position of a slot. A plain value in a plain buffer: reading one needs no reference counting.
package struct SlotDescriptor {
    package let kind: SlotKind
    /// A to-one relationship to an entity with subentities stores the destination's entity index in the following word.
    /// word.
    package let isPolymorphic: Bool
    package let isTransient: Bool
    package let isDerived: Bool
    /// First word of the slot; the position of a Boolean's bit; -1 for slots with neither.
    package let word: Int32
    /// Position among the relationships and fetched properties of the entity; -1 for attributes.
    package let ordinal: Int32
    /// The layout of a relationship's destination; -1 for others.
    package let destination: Int32
    /// The index after the last layout of the destination's subentities: an entity and its descendants have consecutive
    /// indexes.
    package let destinationEnd: Int32
    package let isOrdered: Bool
    package let deleteRule: NSDeleteRule
    /// The slot of the inverse in the destination's layout (and in those of all its subentities); -1 without an
    /// inverse.
    package let inverse: Int32
}

extension SlotDescriptor {
    package var wordCount: Int {
        switch kind {
        case .string: 2
        case .reference: isPolymorphic ? 2 : 1
        case .boolean, .toMany, .fetched: 0
        default: 1
        }
    }

    package init(
        _ property: NSPropertyDescription, kind: SlotKind, word: Int, ordinal: Int, indexes: [ObjectIdentifier: Int],
        polymorphic: Set<Int>
    ) {
        isTransient = property.isTransient
        isDerived = property is NSDerivedAttributeDescription
        inverse = -1  // set after all layouts exist
        destinationEnd = -1
        isOrdered = (property as? NSRelationshipDescription)?.isOrdered ?? false
        deleteRule = (property as? NSRelationshipDescription)?.deleteRule ?? .noActionDeleteRule
        self.kind = kind
        if let relationship = property as? NSRelationshipDescription {
            let target = relationship.destinationEntity.flatMap { indexes[ObjectIdentifier($0)] } ?? -1
            destination = Int32(target)
            isPolymorphic = polymorphic.contains(target)
            self.ordinal = Int32(ordinal)
        } else {
            destination = -1
            isPolymorphic = false
            self.ordinal = kind == .fetched ? Int32(ordinal) : -1
        }
        self.word = kind == .toMany || kind == .fetched ? -1 : Int32(word)
    }

    package init(_ place: SlotDescriptor, inverse: Int, destinationEnd: Int) {
        self.destinationEnd = Int32(destinationEnd)
        isOrdered = place.isOrdered
        deleteRule = place.deleteRule
        kind = place.kind
        isPolymorphic = place.isPolymorphic
        isTransient = place.isTransient
        isDerived = place.isDerived
        word = place.word
        ordinal = place.ordinal
        destination = place.destination
        self.inverse = Int32(inverse)
    }
}

extension SlotKind {
    package init(_ property: NSPropertyDescription) {
        if let relationship = property as? NSRelationshipDescription {
            self = relationship.isToMany ? .toMany : .reference
        } else if property is NSFetchedPropertyDescription {
            self = .fetched
        } else {
            self.init(for: (property as? NSAttributeDescription)?.attributeType ?? .undefinedAttributeType)
        }
    }

    package init(for type: NSAttributeType) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .floatAttributeType: self = .float
        case .doubleAttributeType: self = .double
        case .dateAttributeType: self = .date
        case .stringAttributeType: self = .string
        default: self = .box
        }
    }
}
