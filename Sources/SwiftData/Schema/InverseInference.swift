// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the inverses of relationships. SwiftData-H3.

import Foundation

/// Finds inverses. An inverse that is declared at one end holds for both ends. Two ends without a declared inverse are
/// inverses if each is the only one from its entity to the other.
struct InverseInference {
    private let types: [any PersistentModel.Type]
    private let entities: [String: Schema.Entity]

    init(_ types: [any PersistentModel.Type], _ entities: [Schema.Entity]) {
        self.types = types
        self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private typealias End = (entity: Schema.Entity, relationship: Schema.Relationship)

    private var ends: [End] {
        entities.values.sorted { $0.name < $1.name }.flatMap { entity in
            entity.properties.compactMap { $0 as? Schema.Relationship }.map { (entity, $0) }
        }
    }

    func run() {
        for end in ends where end.relationship.inverseKeyPath != nil { linkNamed(end) }
        let open = ends.filter { $0.relationship.inverseName == nil && !$0.relationship.isOneWay }
        for end in open where end.relationship.inverseName == nil {
            let back = candidates(for: end, in: open)
            guard back.count == 1, let other = back.first, candidates(for: other, in: open).count == 1,
                other.relationship !== end.relationship
            else { continue }
            end.relationship.inverseName = other.relationship.name
            other.relationship.inverseName = end.relationship.name
        }
    }

    private func linkNamed(_ end: End) {
        guard let path = end.relationship.inverseKeyPath, let name = ModelKeyPaths.name(of: path),
            let destination = entities[end.relationship.destination],
            let other = find(name, from: destination)
        else {
            preconditionFailure(
                "The inverse of '\(end.entity.name).\(end.relationship.name)' is no relationship of "
                    + "'\(end.relationship.destination)'.")
        }
        precondition(
            other.inverseName == nil || other.inverseName == end.relationship.name,
            "'\(end.relationship.destination).\(name)' is the inverse of '\(other.inverseName ?? "")', and "
                + "'\(end.entity.name).\(end.relationship.name)' claims it, too.")
        end.relationship.inverseName = name
        other.inverseName = end.relationship.name
    }

    private func find(_ name: String, from entity: Schema.Entity) -> Schema.Relationship? {
        var next: Schema.Entity? = entity
        while let current = next {
            if let found = current.properties.first(where: { $0.name == name }) as? Schema.Relationship { return found }
            next = current.superentity
        }
        return nil
    }

    /// Open ends of the destination entity that refer back to the entity of an end.
    private func candidates(for end: End, in open: [End]) -> [End] {
        open.filter { other in
            other.relationship !== end.relationship && isKind(end.relationship.destination, of: other.entity)
                && isKind(end.entity.name, of: other.relationship.destination)
        }
    }

    private func isKind(_ name: String, of entity: Schema.Entity) -> Bool { isKind(name, of: entity.name) }

    private func isKind(_ name: String, of ancestor: String) -> Bool {
        var next = entities[name]
        while let current = next {
            if current.name == ancestor { return true }
            next = current.superentity
        }
        return false
    }
}
