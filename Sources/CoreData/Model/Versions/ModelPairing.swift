// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Pairs the entities and properties of two versions of a model by their canonical names.

import Foundation

/// The entities and stored properties of a source version that continue in a destination version.
///
/// The canonical name of an entity or property is its renaming identifier, or its name if that is not set. Two with
/// equal canonical names belong together. Of the rest, a destination also belongs to the source with its canonical name
/// as plain name: a chain of versions may set each step's old name, or drop the identifier after the step.
///
/// Properties are those of the folded entity, own and inherited, so a property that moves up or down a hierarchy is no
/// special case. Attributes are paired with attributes, and relationships with relationships. Transient attributes and
/// fetched properties are left out, because stores do not keep them.
struct ModelPairing {
    /// A stored property of a destination entity, and its origin.
    struct Property {
        let destination: NSPropertyDescription
        /// nil for a new property.
        let source: NSPropertyDescription?
        /// The first default value of these fills rows without a value: that of the step in which the property was
        /// added, or became mandatory.
        let fillers: [NSPropertyDescription]

        /// Makes a property for one step from a version to the next.
        init(destination: NSPropertyDescription, source: NSPropertyDescription?) {
            let isFilled = source.map { $0.isOptional && !destination.isOptional } ?? true
            self.init(destination: destination, source: source, fillers: isFilled ? [destination] : [])
        }

        /// Makes a property for several steps.
        init(destination: NSPropertyDescription, source: NSPropertyDescription?, fillers: [NSPropertyDescription]) {
            self.destination = destination
            self.source = source
            self.fillers = fillers
        }
    }

    /// One entity of either version, or of both.
    struct Entity {
        /// nil for a new entity.
        let source: NSEntityDescription?
        /// nil for a removed entity.
        let destination: NSEntityDescription?
        /// The stored properties of the destination, inherited ones included, sorted by name.
        let properties: [Property]
        /// The stored properties of the source, including inherited ones, that no destination property continues.
        let lost: [NSPropertyDescription]

        /// The origin of a property of the destination; nil for a new one.
        func source(of name: String) -> NSPropertyDescription? { property(name)?.source }

        /// A property of the destination; nil for an unknown name.
        func property(_ name: String) -> Property? { properties.first { $0.destination.name == name } }

        /// The property of the destination that continues a property of the source; nil for a lost one.
        func destination(of name: String) -> NSPropertyDescription? {
            properties.first { $0.source?.name == name }?.destination
        }
    }

    /// The entities of one version sorted by name, with their stored properties.
    struct Version {
        fileprivate struct Member {
            let entity: NSEntityDescription
            let stored: [NSPropertyDescription]
            var name: (name: String, canonical: String) { (entity.name ?? "", entity.renamingIdentifier ?? "") }
        }

        fileprivate let entities: [Member]

        init(_ entities: [NSEntityDescription]) {
            self.entities = entities.sorted { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }
                .map { Member(entity: $0, stored: ModelPairing.stored($0)) }
        }
    }

    /// The entities of the destination sorted by name, then removed entities sorted by name.
    let entities: [Entity]
    private let byDestination: [String: Int]
    private let bySource: [String: Int]

    /// Pairs all entities of two models.
    init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
        self.init(source: source.entities, destination: destination.entities)
    }

    /// Pairs some entities of two models, for example those of a configuration.
    init(source: [NSEntityDescription], destination: [NSEntityDescription]) {
        self.init(source: Version(source), destination: Version(destination))
    }

    /// Pairs two versions of many, each of which is paired several times.
    init(source: Version, destination: Version) {
        let (old, new) = (source.entities, destination.entities)
        let origins = CanonicalNames.origins(of: new.map(\.name), among: old.map(\.name))
        var continuing: [String: NSEntityDescription] = [:]
        for (position, origin) in origins.enumerated() {
            if let name = origin.flatMap({ old[$0].entity.name }) { continuing[name] = new[position].entity }
        }
        var entities = new.indices.map { position in
            Self.pair(origins[position].map { old[$0] }, new[position]) { continuing[$0] }
        }
        let continued = Set(origins.compactMap { $0 })
        for position in old.indices where !continued.contains(position) {
            entities.append(
                Entity(source: old[position].entity, destination: nil, properties: [], lost: old[position].stored))
        }
        self.init(entities: entities)
    }

    /// - Parameter entities: those of the destination sorted by name, then removed ones sorted by name.
    init(entities: [Entity]) {
        self.entities = entities
        byDestination = Self.index(entities.map(\.destination?.name))
        bySource = Self.index(entities.map(\.source?.name))
    }

    /// The pair of an entity of the destination, by name; nil for an unknown name.
    func entity(destination name: String) -> Entity? { byDestination[name].map { entities[$0] } }

    /// The pair of an entity of the source, by name; nil for an unknown name.
    func entity(source name: String) -> Entity? { bySource[name].map { entities[$0] } }

    /// The stored properties of an entity, inherited ones included, sorted by name.
    static func stored(_ entity: NSEntityDescription) -> [NSPropertyDescription] {
        entity.propertiesByName.values.filter { property in
            !property.isTransient
                && (property is NSRelationshipDescription
                    || (property as? NSAttributeDescription).map { $0.attributeType != .undefinedAttributeType }
                        ?? false)
        }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// - Parameter continuing: the entity of the destination that continues one of the source, by its name.
    private static func pair(
        _ source: Version.Member?, _ destination: Version.Member, _ continuing: (String) -> NSEntityDescription?
    ) -> Entity {
        let new = destination.stored
        guard let source else {
            return Entity(
                source: nil, destination: destination.entity,
                properties: new.map { Property(destination: $0, source: nil) }, lost: [])
        }
        let old = source.stored
        var origins: [NSPropertyDescription?] = Array(repeating: nil, count: new.count)
        for isRelationship in [false, true] {
            let wanted = new.indices.filter { new[$0] is NSRelationshipDescription == isRelationship }
            let offered = old.filter { $0 is NSRelationshipDescription == isRelationship }
            let found = CanonicalNames.origins(of: wanted.map { name(new[$0]) }, among: offered.map(name))
            for (place, origin) in zip(wanted, found) {
                guard let former = origin.map({ offered[$0] }), keepsLinks(of: former, new[place], continuing) else {
                    continue
                }
                origins[place] = former
            }
        }
        let continued = Set(origins.compactMap { $0 }.map(ObjectIdentifier.init))
        return Entity(
            source: source.entity, destination: destination.entity,
            properties: zip(new, origins).map { Property(destination: $0, source: $1) },
            lost: old.filter { !continued.contains(ObjectIdentifier($0)) })
    }

    /// True for attributes. Links to rows of a removed entity are removed without a change of the relationship.
    private static func keepsLinks(
        of former: NSPropertyDescription, _ property: NSPropertyDescription,
        _ continuing: (String) -> NSEntityDescription?
    ) -> Bool {
        guard let old = (former as? NSRelationshipDescription)?.destinationEntity?.name,
            let new = (property as? NSRelationshipDescription)?.destinationEntity, let continued = continuing(old)
        else { return true }
        return continued.isKindOf(entity: new) || new.isKindOf(entity: continued)
    }

    private static func name(_ property: NSPropertyDescription) -> (name: String, canonical: String) {
        (property.name, property.renamingIdentifier ?? property.name)
    }

    private static func index(_ names: [String?]) -> [String: Int] {
        var result: [String: Int] = [:]
        for (position, name) in names.enumerated() {
            if let name, result[name] == nil { result[name] = position }
        }
        return result
    }
}

/// Finds the old entity or property for each new name.
private enum CanonicalNames {
    typealias Name = (name: String, canonical: String)

    /// - Returns: for each new name the position of its origin, or nil. No origin is used twice.
    static func origins(of new: [Name], among old: [Name]) -> [Int?] {
        var result: [Int?] = Array(repeating: nil, count: new.count)
        var free = Set(old.indices)
        /// Claims the first free old name with the same key for each new name without an origin that satisfies the
        /// condition.
        func claim(_ key: (Name) -> String, where isMeant: (Name, Name) -> Bool) {
            var bearers: [String: [Int]] = [:]
            for position in old.indices where free.contains(position) {
                bearers[key(old[position]), default: []].append(position)
            }
            for position in new.indices where result[position] == nil {
                let found = bearers[new[position].canonical]?.first {
                    free.contains($0) && isMeant(new[position], old[$0])
                }
                guard let found else { continue }
                result[position] = found
                free.remove(found)
            }
        }
        // Several may share one identifier by mistake: the one with the same plain name comes first.
        claim(\.canonical) { $0.name == $1.name }
        claim(\.canonical) { _, _ in true }
        claim(\.name) { _, _ in true }
        return result
    }
}
