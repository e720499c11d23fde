// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The route of a store through the versions of its model, in parts that are one migration each.

import Foundation

/// Migration-M6 and M7.
struct MigrationRoute {
    /// One migration: several steps by statements, or a single step by objects.
    struct Leg {
        /// From the source to the destination of this migration.
        let versions: [SchemaVersion]
        /// nil for an inferred mapping model.
        let mapping: NSMappingModel?
        /// The pairing of the first version with the last.
        let pairing: ModelPairing
        let way: MigrationPlan.Way
    }

    let legs: [Leg]

    /// - Parameter usesStatements: whether the store can be migrated by statements.
    /// - Returns: nil if there is no route.
    /// - Throws: `LossyWay` if the route loses more than a direct step would, and no loss is allowed.
    init?(_ graph: VersionGraph, usesStatements: Bool) throws(LossyWay) {
        guard let way = try graph.way() else { return nil }
        let found = Self.legs(way, graph, usesStatements)
        let narrowed = NarrowedProperties(found.map(\.pairing)).names
        guard !narrowed.isEmpty, !graph.allowsLoss, found.allSatisfy({ $0.mapping == nil }) else {
            legs = found
            return
        }
        guard let direct = graph.direct() else { throw graph.lossyWay(narrowed, through: way.places) }
        legs = Self.legs(direct, graph, usesStatements)
    }

    private static func legs(
        _ way: (places: [Int], steps: [VersionGraph.Step]), _ graph: VersionGraph, _ usesStatements: Bool
    ) -> [Leg] {
        let (places, steps) = way
        var legs: [Leg] = []
        for (number, step) in steps.enumerated() {
            let (from, to) = (places[number], places[number + 1])
            let pair = [graph.versions[from], graph.versions[to]]
            let pairing = graph.pairing(from, to)
            switch step {
            case .mapping(let mapping):
                legs.append(Leg(versions: pair, mapping: mapping, pairing: pairing, way: .objects))
            case .inferred:
                let way: MigrationPlan.Way =
                    usesStatements && ModelDifference(pairing: pairing).statementObstacles.isEmpty
                    ? .statements : .objects
                let leg = Leg(versions: pair, mapping: nil, pairing: pairing, way: way)
                if let joined = legs.last.flatMap({ join($0, leg) }) {
                    legs[legs.count - 1] = joined
                } else {
                    legs.append(leg)
                }
            }
        }
        return legs
    }

    /// Both migrations as one script; nil if statements cannot express it.
    private static func join(_ first: Leg, _ next: Leg) -> Leg? {
        guard first.way == .statements, next.way == .statements else { return nil }
        let pairing = first.pairing.followed(by: next.pairing)
        guard ModelDifference(pairing: pairing).statementObstacles.isEmpty else { return nil }
        return Leg(
            versions: first.versions + next.versions.dropFirst(), mapping: nil, pairing: pairing, way: .statements)
    }
}
