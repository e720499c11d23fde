// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Joins the pairings of successive versions to one from the first version to the last.

import Foundation

extension ModelPairing {
    /// The pairing of this source with the destination of the next step.
    ///
    /// An entity or property that is removed in one step and added again in a later one has no source. Rows get the
    /// default value of the step in which a property was added, or became mandatory.
    func followed(by next: ModelPairing) -> ModelPairing {
        let continued = next.entities.filter { $0.destination != nil }.map(joined)
        let sources = Set(continued.compactMap { $0.source?.name })
        let ended = entities.compactMap(\.source).filter { !sources.contains($0.name ?? "") }
            .sorted { ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8) }
        return ModelPairing(
            entities: continued
                + ended.map { Entity(source: $0, destination: nil, properties: [], lost: Self.stored($0)) })
    }

    private func joined(_ last: Entity) -> Entity {
        guard let middle = last.source?.name, let first = entity(destination: middle), let source = first.source else {
            return Entity(
                source: nil, destination: last.destination,
                properties: last.properties.map {
                    Property(destination: $0.destination, source: nil, fillers: $0.fillers)
                }, lost: [])
        }
        let former = Dictionary(
            first.properties.map { ($0.destination.name, $0) }, uniquingKeysWith: { first, _ in first })
        let properties = last.properties.map { property in
            let before = property.source.flatMap { former[$0.name] }
            return Property(
                destination: property.destination, source: before?.source,
                fillers: (before?.fillers ?? []) + property.fillers)
        }
        let kept = Set(properties.compactMap { $0.source?.name })
        return Entity(
            source: source, destination: last.destination, properties: properties,
            lost: Self.stored(source).filter { !kept.contains($0.name) })
    }

    /// The entities and properties of the source that the destination continues, by name.
    var kept: Set<String> {
        var result: Set<String> = []
        for pair in entities where pair.destination != nil {
            guard let entity = pair.source?.name else { continue }
            result.insert(entity)
            for property in pair.properties {
                if let name = property.source?.name { result.insert("\(entity).\(name)") }
            }
        }
        return result
    }
}
