// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the changes between two versions of a model for which no mapping can be inferred.

import Foundation

/// The changes of a pairing that cannot be inferred, and the conversions that can.
struct ModelDifference {
    /// A change without an inferable mapping (134190).
    struct Obstacle: Equatable {
        let entity: String
        /// nil for a change of the entity itself.
        let property: String?
        let reason: String
    }

    let pairing: ModelPairing

    /// Empty if a mapping can be inferred.
    var obstacles: [Obstacle] { joinedTrees(underNewRoots: true) + pairing.entities.flatMap(properties) }

    /// Empty if SQL statements can execute an inferred mapping. Keys are unique only below a root, so the rows of two
    /// roots cannot share a table, whether its root is new or not.
    var statementObstacles: [Obstacle] { joinedTrees(underNewRoots: false) + pairing.entities.flatMap(properties) }

    /// Whether values of one attribute type can be converted to another one without a policy: equal types, numbers, and
    /// a Boolean to an integer. Not the reverse: 2 is not a Boolean.
    static func isConvertible(_ source: NSAttributeType, _ destination: NSAttributeType) -> Bool {
        source == destination || isNumber(source) && isNumber(destination)
            || source == .booleanAttributeType && isInteger(destination)
    }

    private static func isInteger(_ type: NSAttributeType) -> Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
        default: false
        }
    }

    static func isNumber(_ type: NSAttributeType) -> Bool {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            true
        default: false
        }
    }

    /// The attributes that have separate values: the elements of a composite attribute, by path, or the attribute.
    static func leaves(of attribute: NSAttributeDescription) -> [String: NSAttributeDescription] {
        guard let composite = attribute as? NSCompositeAttributeDescription else { return ["": attribute] }
        var result: [String: NSAttributeDescription] = [:]
        for element in composite.elements {
            for (path, leaf) in leaves(of: element) { result["\(element.name).\(path)"] = leaf }
        }
        return result
    }

    /// Entities of several roots that get a common root.
    ///
    /// - Parameter underNewRoots: counts only roots without a source: entities may move into an existing hierarchy.
    private func joinedTrees(underNewRoots: Bool) -> [Obstacle] {
        var roots: [String: (entity: String, root: String)] = [:]
        var result: [Obstacle] = []
        for pair in pairing.entities {
            guard let destination = pair.destination, let source = pair.source, let name = destination.name,
                let tree = destination.lineage.last?.name, let root = source.lineage.last?.name
            else { continue }
            if underNewRoots, pairing.entity(destination: tree)?.source != nil { continue }
            guard let known = roots[tree], known.root != root else {
                roots[tree] = (name, root)
                continue
            }
            result.append(
                Obstacle(
                    entity: name, property: nil,
                    reason: "The entities '\(known.entity)' and '\(name)' have no common ancestor in the source model, "
                        + "and get one in the destination model"))
        }
        return result
    }

    private func properties(of pair: ModelPairing.Entity) -> [Obstacle] {
        guard let entity = pair.destination?.name else { return [] }
        return pair.properties.compactMap { property in
            switch (property.source, property.destination) {
            case (let source as NSAttributeDescription, let destination as NSAttributeDescription):
                guard !Self.areConvertible(source, destination) else { return nil }
                return Obstacle(
                    entity: entity, property: destination.name,
                    reason: "Source and destination attribute types are incompatible")
            default: return nil
            }
        }
    }

    private static func areConvertible(_ source: NSAttributeDescription, _ destination: NSAttributeDescription) -> Bool
    {
        guard isConvertible(source.attributeType, destination.attributeType) else { return false }
        let old = leaves(of: source)
        return leaves(of: destination).allSatisfy { path, leaf in
            old[path].map { isConvertible($0.attributeType, leaf.attributeType) } ?? true
        }
    }
}
