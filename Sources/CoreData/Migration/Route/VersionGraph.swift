// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the route from the version of a store to its destination that loses least and has the fewest steps.

import Foundation

/// A version of the model, with the entities of the store.
struct SchemaVersion {
    let model: NSManagedObjectModel
    let entities: [NSEntityDescription]

    /// A name for people: its identifiers, or the beginning of its checksum.
    var name: String {
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.filter { !$0.isEmpty }.sorted()
        return identifiers.isEmpty
            ? String(VersionDigestValue.checksum(hashes).prefix(8)) : identifiers.joined(separator: ", ")
    }

    var hashes: [String: Data] {
        Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Steps only go forward: from a version to any later one. Migration-M6.
final class VersionGraph {
    enum Step {
        /// A mapping model of the program, which itself decides about values.
        case mapping(NSMappingModel)
        case inferred
    }

    /// A route from the first version.
    private struct Way {
        let places: [Int]
        /// The pairing of the first version with the last one of the route.
        let pairing: ModelPairing?
        /// The names that a mapping model has taken over; a pairing no longer shows them.
        let carried: Set<String>
        /// Computed once, because a route is compared with many others.
        let kept: Set<String>

        init(places: [Int], pairing: ModelPairing? = nil, carried: Set<String> = []) {
            (self.places, self.pairing, self.carried) = (places, pairing, carried)
            kept = carried.union(pairing?.kept ?? [])
        }
    }

    let versions: [SchemaVersion]
    private let infers: Bool
    /// Whether a route of several steps may lose a name that a direct step would keep.
    let allowsLoss: Bool
    /// Finds a mapping model of the program between two versions.
    private let mapping: (SchemaVersion, SchemaVersion) -> NSMappingModel?
    private var pairings: [Int: ModelPairing] = [:]
    private lazy var paired = versions.map { ModelPairing.Version($0.entities) }

    /// - Parameter versions: the version of the store first, the destination last.
    init(
        _ versions: [SchemaVersion], infers: Bool, allowsLoss: Bool = false,
        mapping: @escaping (SchemaVersion, SchemaVersion) -> NSMappingModel?
    ) {
        self.versions = versions
        self.infers = infers
        self.allowsLoss = allowsLoss
        self.mapping = mapping
    }

    private var last: Int { versions.count - 1 }

    /// The indices of the versions on the route, and the steps between them; nil if there is no route.
    ///
    /// - Throws: `LossyWay` if every route loses a name that a direct step would keep, and no loss is allowed.
    func way() throws(LossyWay) -> (places: [Int], steps: [Step])? {
        if let direct = mapping(versions[0], versions[last]) { return ([0, last], [.mapping(direct)]) }
        guard let found = shortest() else { return nil }
        let lost = losses(of: found)
        if !lost.isEmpty, !allowsLoss { throw lossyWay(lost, through: found.places) }
        let steps = zip(found.places, found.places.dropFirst()).compactMap(step)
        return (found.places, steps)
    }

    /// The direct step; nil if no mapping can be inferred.
    func direct() -> (places: [Int], steps: [Step])? { step(0, last).map { ([0, last], [$0]) } }

    func lossyWay(_ lost: Set<String>, through places: [Int]) -> LossyWay {
        let named = lost.filter { name in !lost.contains { name.hasPrefix("\($0).") } }
        return LossyWay(lost: named.sorted(), versions: places.dropFirst().dropLast().map { versions[$0].name })
    }

    /// The inferred pairing of two versions, without mapping models.
    func pairing(_ from: Int, _ to: Int) -> ModelPairing {
        let key = from * versions.count + to
        if let known = pairings[key] { return known }
        let made = ModelPairing(source: paired[from], destination: paired[to])
        pairings[key] = made
        return made
    }

    private func step(_ from: Int, _ to: Int) -> Step? {
        if let found = mapping(versions[from], versions[to]) { return .mapping(found) }
        return infers && ModelDifference(pairing: pairing(from, to)).obstacles.isEmpty ? .inferred : nil
    }

    // MARK: The search

    private func extended(_ way: Way, to place: Int) -> Way? {
        guard let from = way.places.last, let step = step(from, place) else { return nil }
        let next = pairing(from, place)
        var carried = way.carried
        if case .mapping = step { carried.formUnion(way.pairing == nil ? names : way.kept) }
        return Way(
            places: way.places + [place], pairing: way.pairing?.followed(by: next) ?? next, carried: carried)
    }

    /// All names of the first version.
    private var names: Set<String> {
        Set(
            versions[0].entities.flatMap { entity in
                let name = entity.name ?? ""
                return [name] + ModelPairing.stored(entity).map { "\(name).\($0.name)" }
            })
    }

    private func shortest() -> Way? {
        let start = Way(places: [0])
        let direct = extended(start, to: last)
        if last == 1 { return direct }
        // The route through every version sets the standard.
        let whole = (1...last).reduce(Optional(start)) { way, place in way.flatMap { extended($0, to: place) } }
        if let direct, whole.map({ $0.kept.isSubset(of: direct.kept) }) ?? true { return direct }
        let byOne = (1..<last).compactMap { place in extended(start, to: place).flatMap { extended($0, to: last) } }
        let candidates = [direct].compactMap { $0 } + byOne
        if let whole, let found = best(candidates), whole.kept.isSubset(of: found.kept), losses(of: found).isEmpty {
            return found
        }
        return best([longer(from: start)].compactMap { $0 } + candidates)
    }

    /// The names that a direct step would continue, even if it cannot be inferred: a changed type still keeps the name.
    private lazy var continued = pairing(0, last).kept

    /// The names that a route loses although a direct step would keep them.
    private func losses(of way: Way) -> Set<String> { continued.subtracting(way.kept) }

    /// Keeps the best route to each version: the one that loses least, then the shortest, then the first.
    private func longer(from start: Way) -> Way? {
        var ways: [Way?] = [start]
        for place in 1...last { ways.append(best(ways.compactMap { way in way.flatMap { extended($0, to: place) } })) }
        return ways[last]
    }

    private func best(_ ways: [Way]) -> Way? {
        let ranked = ways.map { way in (way, [losses(of: way).count, -way.kept.count, way.places.count]) }
        return ranked.min { $0.1.lexicographicallyPrecedes($1.1) }?.0
    }
}

/// The refusal of a route through intermediate versions. Migration-M8.
struct LossyWay: Error, Equatable {
    /// Entities, and properties of other entities, of the store's version, sorted: `Document`, `Partner.documents`.
    let lost: [String]
    /// The versions on the route.
    let versions: [String]
}
