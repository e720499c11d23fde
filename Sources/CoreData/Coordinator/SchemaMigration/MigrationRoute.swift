// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The way of a store through the versions of its model, in parts that are one migration each.

import Foundation

/// Documentation/Internals/SchemaMigration.md, SchemaMigration-M14 and M15.
struct MigrationRoute {
    /// One migration: several steps by statements, or a single step by objects.
    struct Leg {
        /// From the version before to the version afterwards.
        let versions: [SchemaVersion]
        /// nil for an inferred one.
        let mapping: NSMappingModel?
        /// Of the first version with the last.
        let pairing: ModelPairing
        let way: MigrationPlan.Way
    }

    let legs: [Leg]

    /// - Parameter usesStatements: whether statements can change the store at all.
    /// - Returns: nil without a way.
    init?(_ graph: VersionGraph, usesStatements: Bool) {
        guard let (places, steps) = graph.way() else { return nil }
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
                if let joined = legs.last.flatMap({ Self.join($0, leg) }) {
                    legs[legs.count - 1] = joined
                } else {
                    legs.append(leg)
                }
            }
        }
        self.legs = legs
    }

    /// Both as one script; nil if statements cannot do that.
    private static func join(_ first: Leg, _ next: Leg) -> Leg? {
        guard first.way == .statements, next.way == .statements else { return nil }
        let pairing = first.pairing.followed(by: next.pairing)
        guard ModelDifference(pairing: pairing).statementObstacles.isEmpty else { return nil }
        return Leg(
            versions: first.versions + next.versions.dropFirst(), mapping: nil, pairing: pairing, way: .statements)
    }
}
