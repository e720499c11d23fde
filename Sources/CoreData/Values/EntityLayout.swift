// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compiled form of an entity: the slot of each property in a row. All hot code reads this, not the descriptions.

import Foundation

/// The compiled form of one entity of a frozen model.
///
/// Slots are numbered: inherited properties first, with the numbers that they have in the superentity, then the
/// entity's other properties, sorted by name. So a slot number of an entity is valid for all its subentities too.
package final class EntityLayout: @unchecked Sendable {  // immutable after `ModelLayout.init`
    package let entity: NSEntityDescription
    package let name: String
    /// The number by which rows find it (`LayoutNumbers`).
    package let number: UInt32
    /// Position in `ModelLayout.layouts`.
    package let index: Int
    /// The index of the root of the inheritance tree; keys are unique below it.
    package let rootIndex: Int
    package let superIndex: Int
    /// The index of the entity and those of all subentities, depth first.
    package fileprivate(set) var familyIndexes: [Int] = []
    /// The identity of its `ModelLayout`.
    package fileprivate(set) var model: ObjectIdentifier?
    package let isAbstract: Bool
    package var hasSubentities: Bool { familyIndexes.count > 1 }

    package let properties: [NSPropertyDescription]
    package let slotNumbers: KeyTable
    package let slotCount: Int
    /// Freed by the next layout with the same number, because rows that outlive this layout read it.
    fileprivate let places: UnsafeMutablePointer<SlotDescriptor>

    /// The number of words after a snapshot's header: further bits, then the slots.
    package let wordCount: Int
    /// The number of words for the bits from 32 on.
    package let bitWordCount: Int
    package let attributeSlots: [Int]
    package let toOneSlots: [Int]
    package let toManySlots: [Int]
    /// To-one relationships first.
    package let relationshipSlots: [Int]
    package let fetchedSlots: [Int]
    package let transientSlots: [Int]
    package let hasTransients: Bool
    package let relationshipCount: Int
    /// Derived attributes change in a store without a new version.
    package let hasDerivedAttributes: Bool
    /// Whether the entity, or a superentity, has an R-tree index.
    package let hasSpatialIndex: Bool
    /// The row of a new object; nil if all defaults are nil.
    package fileprivate(set) var defaults: Snapshot?

    fileprivate init(
        entity: NSEntityDescription, index: Int, rootIndex: Int, superIndex: Int, inherited: EntityLayout?,
        indexes: [ObjectIdentifier: Int], polymorphic: Set<Int>
    ) {
        self.entity = entity
        name = entity.name ?? ""
        self.index = index
        self.rootIndex = rootIndex
        self.superIndex = superIndex
        isAbstract = entity.isAbstract
        let inheritedNames = Set((inherited?.properties ?? []).map(\.name))
        let own = entity.properties.filter { !inheritedNames.contains($0.name) && !($0 is NSExpressionDescription) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        properties = (inherited?.properties ?? []) + own
        slotCount = properties.count
        var numbers: [String: Int] = [:]
        for (number, property) in properties.enumerated() { numbers[property.name] = number }
        slotNumbers = KeyTable(numbers)
        places = .allocate(capacity: max(slotCount, 1))
        let booleans = properties.count { SlotKind($0) == .boolean }
        bitWordCount = max(0, slotCount + booleans - 32 + 63) / 64
        var (word, bit) = (bitWordCount, slotCount)
        // To-one relationships come first: the memory for their destinations has no room for others.
        var toOne = 0
        var other = properties.count { ($0 as? NSRelationshipDescription)?.isToMany == false }
        for (number, property) in properties.enumerated() {
            let isToOne = (property as? NSRelationshipDescription)?.isToMany == false
            let place = SlotDescriptor(
                property, kind: SlotKind(property), word: SlotKind(property) == .boolean ? bit : word,
                ordinal: isToOne ? toOne : other, indexes: indexes, polymorphic: polymorphic)
            (places + number).initialize(to: place)
            word += place.wordCount
            if place.kind == .boolean { bit += 1 }
            if isToOne { toOne += 1 } else if place.ordinal >= 0 { other += 1 }
        }
        wordCount = word
        relationshipCount = other
        let all = (0..<properties.count).map { [places] in ($0, places[$0]) }
        let owning = all.filter { $0.1.kind == .string || $0.1.kind == .box }.map { Int32($0.0) }
        attributeSlots = all.filter { ![.reference, .toMany, .fetched].contains($0.1.kind) }.map(\.0)
        toOneSlots = all.filter { $0.1.kind == .reference }.map(\.0)
        toManySlots = all.filter { $0.1.kind == .toMany }.map(\.0)
        relationshipSlots = toOneSlots + toManySlots
        fetchedSlots = all.filter { $0.1.kind == .fetched }.map(\.0)
        transientSlots = all.filter { $0.1.isTransient }.map(\.0)
        hasTransients = !transientSlots.isEmpty
        hasDerivedAttributes = all.contains { $0.1.isDerived }
        let elements = entity.indexes.flatMap(\.elements)
        hasSpatialIndex = inherited?.hasSpatialIndex == true || elements.contains { $0.collationType == .rTree }
        number = LayoutNumbers.take()
        let ended = UnsafeBufferPointer.copy(of: owning + [-1]).baseAddress.unsafelyUnwrapped
        LayoutNumbers.set(number, Uncounted(self).address, places, ended)
    }

    deinit {
        defaults = nil
        LayoutNumbers.release(number)
    }

    @inline(__always) package subscript(slot: Int) -> SlotDescriptor { places[slot] }

    /// nil for an unknown name.
    package func slot(_ name: String) -> Int? { slotNumbers[name] }

    package func isKind(of other: EntityLayout) -> Bool {
        index >= other.index && index < other.index + other.familyIndexes.count
    }

    package func attribute(_ slot: Int) -> NSAttributeDescription? { properties[slot] as? NSAttributeDescription }
    package func relationship(_ slot: Int) -> NSRelationshipDescription? {
        properties[slot] as? NSRelationshipDescription
    }

    /// The inverse of a to-many relationship, if it is to-one: its objects store the links.
    package func toOneInverse(_ slot: Int) -> Int? {
        guard self[slot].inverse >= 0, relationship(slot)?.mutualInverse?.isToMany == false else { return nil }
        return Int(self[slot].inverse)
    }
}

extension UnsafeBufferPointer where Element: BitwiseCopyable {
    /// A copy of numbers that are read without reference counting. Must be deallocated.
    package static func copy(of elements: [Element]) -> Self {
        let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = buffer.initialize(from: elements)
        return UnsafeBufferPointer(buffer)
    }
}

/// All layouts of a frozen model. Entities are indexed depth first over the roots sorted by name without case, as Apple
/// numbers them in a store that contains every entity (the store's number is then this index plus one).
package final class ModelLayout: @unchecked Sendable {  // immutable after init
    package let layouts: [EntityLayout]
    /// Whether a key path may continue in the values of an attribute. Models without one need not look for such paths.
    let hasPathsInside: Bool
    private let indexes: KeyTable

    package init(entities: [NSEntityDescription]) {
        let ordered = Self.numbered(entities)
        var indexes: [ObjectIdentifier: Int] = [:]
        for (index, entity) in ordered.enumerated() { indexes[ObjectIdentifier(entity)] = index }
        var polymorphic: Set<Int> = []
        for (index, entity) in ordered.enumerated() where !entity.subentities.isEmpty { polymorphic.insert(index) }
        var layouts: [EntityLayout] = []
        for (index, entity) in ordered.enumerated() {
            let parent = entity.superentity.flatMap { indexes[ObjectIdentifier($0)] }
            layouts.append(
                EntityLayout(
                    entity: entity, index: index, rootIndex: parent.map { layouts[$0].rootIndex } ?? index,
                    superIndex: parent ?? -1, inherited: parent.map { layouts[$0] }, indexes: indexes,
                    polymorphic: polymorphic))
        }
        for layout in layouts.reversed() {
            layout.familyIndexes.insert(layout.index, at: 0)
            if layout.superIndex >= 0 {
                layouts[layout.superIndex].familyIndexes.insert(contentsOf: layout.familyIndexes, at: 0)
            }
        }
        for layout in layouts {
            for slot in layout.toOneSlots + layout.toManySlots {
                let destination = Int(layout[slot].destination)
                guard destination >= 0 else { continue }
                let inverse = layout.relationship(slot)?.mutualInverse
                layout.places[slot] = SlotDescriptor(
                    layout[slot], inverse: inverse.flatMap { layouts[destination].slotNumbers[$0.name] } ?? -1,
                    destinationEnd: destination + layouts[destination].familyIndexes.count)
            }
        }
        self.layouts = layouts
        hasPathsInside = layouts.contains { layout in
            layout.properties.contains { ($0 as? NSAttributeDescription)?.hasMembers ?? false }
        }
        self.indexes = KeyTable(
            Dictionary(layouts.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first }))
        for layout in layouts {
            layout.defaults = Snapshot.defaults(of: layout)
            layout.model = ObjectIdentifier(self)
        }
    }

    package func layout(named name: String) -> EntityLayout? { indexes[name].map { layouts[$0] } }

    /// The entity with a renaming identifier, or nil. For URIs from before a migration.
    package func layout(formerlyNamed name: String) -> EntityLayout? {
        layouts.first { $0.entity.explicitRenamingIdentifier == name }
    }

    /// nil for an entity of another model with a name that this model lacks.
    package func layout(of entity: NSEntityDescription) -> EntityLayout? { entity.name.flatMap { layout(named: $0) } }

    private static func numbered(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        let members = Set(entities.map(ObjectIdentifier.init))
        var result: [NSEntityDescription] = []
        func add(_ siblings: [NSEntityDescription]) {
            for entity in siblings.sorted(by: EntityOrder.precedes) where members.contains(ObjectIdentifier(entity)) {
                result.append(entity)
                add(entity.subentities)
            }
        }
        add(entities.filter { entity in !(entity.superentity.map { members.contains(ObjectIdentifier($0)) } ?? false) })
        return result
    }
}

/// The order in which Apple numbers entities: by name without case.
package enum EntityOrder {
    package static func precedes(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
        let (first, second) = (one.name ?? "", other.name ?? "")
        let (a, b) = (first.lowercased(), second.lowercased())
        return a == b ? first < second : a < b
    }
}

extension EntityLayout {
    /// The names of the properties, for messages.
    package var propertyList: String { properties.map(\.name).sorted().joined(separator: ", ") }
}
