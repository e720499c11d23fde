// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The associations of one entity mapping: as objects until they are saved, as keys afterwards.

import Foundation

/// Pairs of source and destination objects in the order of association.
///
/// # States of a pair
///     recent (holds both objects) ──settle, after a save──▶ settled (only keys)
/// # Invariants
/// (1) A position counts settled pairs first, then recent ones, so a pair keeps its position when it settles.
/// (2) Settled keys are permanent.
final class AssociationTable {
    private let source: MigrationEndpoint
    private let destination: MigrationEndpoint
    private var settledSources = KeyColumn()
    private var settledDestinations = KeyColumn()
    private var recent: [(source: NSManagedObject, destination: NSManagedObject)] = []
    private var recentBySource: [ObjectIdentifier: [Int]] = [:]
    private var recentByDestination: [ObjectIdentifier: [Int]] = [:]
    /// The entities of the associated source objects.
    private(set) var sourceEntities: Set<Int> = []

    init(source: MigrationEndpoint, destination: MigrationEndpoint) {
        self.source = source
        self.destination = destination
    }

    /// The number of pairs.
    var count: Int { settledSources.count + recent.count }

    func associate(_ source: NSManagedObject, _ destination: NSManagedObject) {
        recentBySource[ObjectIdentifier(source), default: []].append(count)
        recentByDestination[ObjectIdentifier(destination), default: []].append(count)
        recent.append((source, destination))
        sourceEntities.insert(source.table.layout.index)
    }

    /// Removes the pairs of destination objects that were not saved.
    func forget(_ destinations: Set<ObjectIdentifier>) {
        let kept = recent.filter { !destinations.contains(ObjectIdentifier($0.destination)) }
        guard kept.count < recent.count else { return }
        recent.removeAll()
        recentBySource.removeAll()
        recentByDestination.removeAll()
        for pair in kept { associate(pair.source, pair.destination) }
    }

    /// Replaces the objects, which have been saved, by their keys.
    func settle() {
        for pair in recent {
            settledSources.append(pair.source.objectID.objectKey)
            settledDestinations.append(pair.destination.objectID.objectKey)
        }
        recent.removeAll()
        recentBySource.removeAll()
        recentByDestination.removeAll()
    }

    // MARK: Look-ups

    /// The partners of source objects, each once, in the order of association; nil means all objects.
    func destinations(of objects: [NSManagedObject]?) -> [NSManagedObject] {
        guard let objects else { return unique((0..<count).map(destination(at:))) }
        return unique(objects.flatMap { sourcePositions($0) }.map(destination(at:)))
    }

    /// The partners of a source object, each once, in the order of association.
    func destinations(of object: NSManagedObject) -> [NSManagedObject] {
        unique(sourcePositions(object).map(destination(at:)))
    }

    /// The partners of destination objects, each once, in the order of association; nil means all objects.
    func sources(of objects: [NSManagedObject]?) -> [NSManagedObject] {
        guard let objects else { return unique((0..<count).map(source(at:))) }
        return unique(objects.flatMap { destinationPositions($0) }.map(source(at:)))
    }

    func source(at position: Int) -> NSManagedObject {
        position < settledSources.count
            ? source.object(settledSources[position]) : recent[position - settledSources.count].source
    }

    func destination(at position: Int) -> NSManagedObject {
        position < settledDestinations.count
            ? destination.object(settledDestinations[position])
            : recent[position - settledDestinations.count].destination
    }

    /// Adds the first partner of each of the source objects that have none yet.
    func addPartners(of keys: Set<MigratedKey>, to partners: inout [MigratedKey: MigratedKey]) {
        for position in 0..<count {
            let isSettled = position < settledSources.count
            let pair = isSettled ? nil : recent[position - settledSources.count]
            let name = source.migratedKey(pair?.source.objectID.objectKey ?? settledSources[position])
            guard keys.contains(name), partners[name] == nil else { continue }
            partners[name] = destination.migratedKey(
                pair?.destination.objectID.objectKey ?? settledDestinations[position])
        }
    }

    /// Whether no earlier pair has the destination of this one.
    func isFirst(at position: Int, _ object: NSManagedObject) -> Bool {
        destinationPositions(object).first == position
    }

    private func sourcePositions(_ object: NSManagedObject) -> [Int] {
        if let positions = recentBySource[ObjectIdentifier(object)] {
            return settledSources.isEmpty ? positions : settledSources.positions(of: object) + positions
        }
        return settledSources.positions(of: object)
    }

    private func destinationPositions(_ object: NSManagedObject) -> [Int] {
        if let positions = recentByDestination[ObjectIdentifier(object)] {
            return settledDestinations.isEmpty
                ? positions : settledDestinations.positions(of: object) + positions
        }
        return settledDestinations.positions(of: object)
    }

    private func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        guard objects.count > 1 else { return objects }
        var seen: Set<ObjectIdentifier> = []
        return objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}

/// A list of keys, with the positions of each key.
///
/// # Invariants
/// (1) The keys of a run are higher than all keys before it in the list. So runs are disjoint, in the order of their
///     keys and of their positions.
/// (2) `others` has the keys that are not in a run: each is lower than some key before it.
private struct KeyColumn {
    /// Consecutive keys of one entity, at consecutive positions.
    private struct Run {
        let key: ObjectKey
        let position: UInt32
        var count: UInt32
    }

    private(set) var count = 0
    private var highest: ObjectKey?
    private var runs: [Run] = []
    private var others: [(key: ObjectKey, position: UInt32)] = []
    /// The indices of `others` in the order of their keys; shorter than `others` after an append.
    private var order: [UInt32] = []

    var isEmpty: Bool { count == 0 }

    subscript(position: Int) -> ObjectKey {
        let after = BinarySearch.first(of: runs.count) { runs[$0].position > position }
        if after > 0, position - Int(runs[after - 1].position) < runs[after - 1].count {
            let run = runs[after - 1]
            return ObjectKey(run.key.entityIndex, run.key.key + Int64(position) - Int64(run.position))
        }
        return others[BinarySearch.first(of: others.count) { others[$0].position >= position }].key
    }

    mutating func append(_ key: ObjectKey) {
        defer { count += 1 }
        if let highest, !highest.precedes(key) {
            others.append((key, UInt32(count)))
            return
        }
        if let last = runs.last, last.position + last.count == count,
            key == ObjectKey(last.key.entityIndex, last.key.key + Int64(last.count))
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(key: key, position: UInt32(count), count: 1))
        }
        highest = key
    }

    /// The positions of an object's key, ascending.
    mutating func positions(of object: NSManagedObject) -> [Int] {
        let key = object.objectID.objectKey
        var found: [Int] = []
        let after = BinarySearch.first(of: runs.count) { key.precedes(runs[$0].key) }
        if after > 0 {
            let run = runs[after - 1]
            let distance = key.key - run.key.key
            if run.key.entityIndex == key.entityIndex, distance < run.count {
                found.append(Int(run.position) + Int(distance))
            }
        }
        if others.isEmpty { return found }
        if order.count != others.count { sort() }
        var rank = BinarySearch.first(of: order.count) { !others[Int(order[$0])].key.precedes(key) }
        while rank < order.count, others[Int(order[rank])].key == key {
            found.append(Int(others[Int(order[rank])].position))
            rank += 1
        }
        return found
    }

    private mutating func sort() {
        let others = others
        order = (0..<UInt32(others.count)).sorted { one, other in
            let (left, right) = (others[Int(one)].key, others[Int(other)].key)
            return left == right ? one < other : left.precedes(right)
        }
    }
}

extension ObjectKey {
    /// By entity, then by key.
    func precedes(_ other: ObjectKey) -> Bool {
        entityIndex == other.entityIndex ? key < other.key : entityIndex < other.entityIndex
    }
}
