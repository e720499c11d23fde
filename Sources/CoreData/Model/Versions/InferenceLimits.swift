// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds changes between two versions of a model for which no mapping can be inferred.

import Foundation

/// # Limits
/// 1. An attribute keeps its type, or is a number before and after. A Boolean is no number in this sense.
/// 2. Entities that come under a new root had one root before.
struct InferenceLimits {
    private let pairing: ModelPairing

    init(_ pairing: ModelPairing) { self.pairing = pairing }

    /// - Throws: 134190 for the first change that is beyond the limits.
    func check() throws {
        for pair in pairing.entities {
            for property in pair.properties { try checkType(property, of: pair) }
        }
        try checkRoots()
    }

    private func checkType(_ property: ModelPairing.Property, of pair: ModelPairing.Entity) throws {
        guard let new = property.destination as? NSAttributeDescription, !(new is NSDerivedAttributeDescription),
            let old = property.source as? NSAttributeDescription, !Self.isConvertible(old, new)
        else { return }
        throw CoreDataError.notInferable(
            entity: pair.destination?.name, property: new.name,
            reason: "Source and destination attribute types are incompatible")
    }

    private static func isConvertible(_ old: NSAttributeDescription, _ new: NSAttributeDescription) -> Bool {
        old.attributeType == new.attributeType
            || numbers.contains(old.attributeType) && numbers.contains(new.attributeType)
    }

    private static let numbers: Set<NSAttributeType> = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
        .doubleAttributeType, .floatAttributeType,
    ]

    private func checkRoots() throws {
        var known: [ObjectIdentifier: ObjectIdentifier] = [:]
        for pair in pairing.entities {
            guard let source = pair.source, let destination = pair.destination else { continue }
            let (old, new) = (source.rootEntity, destination.rootEntity)
            guard new.name.flatMap({ pairing.entity(destination: $0) })?.source == nil else { continue }
            let before = known.updateValue(ObjectIdentifier(old), forKey: ObjectIdentifier(new))
            guard let before, before != ObjectIdentifier(old) else { continue }
            throw CoreDataError.notInferable(
                entity: destination.name, property: nil,
                reason: "Source and destination entity hierarchies are incompatible: '\(new.name ?? "")' becomes the "
                    + "ancestor of entities that had none in common")
        }
    }
}

extension NSEntityDescription {
    /// The topmost ancestor, or the entity itself.
    fileprivate var rootEntity: NSEntityDescription {
        var root = self
        var steps = 0
        while let parent = root.superentity, steps < Self.deepestInheritance {
            root = parent
            steps += 1
        }
        return root
    }
}

extension CoreDataError {
    /// A change between two versions without an obvious mapping (134190).
    ///
    /// - Parameters:
    ///   - entity: the entity of the destination, also stored under "entity".
    ///   - property: its property, also stored under "property"; nil for a change of the entity itself.
    static func notInferable(entity: String?, property: String?, reason: String) -> NSError {
        var info: [String: Any] = [:]
        info["entity"] = entity
        info["property"] = property
        let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
        return make(
            .inferredMappingModel, "No mapping can be inferred for '\(subject)'. \(reason).", reason: reason,
            userInfo: info)
    }
}
