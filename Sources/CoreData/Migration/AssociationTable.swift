// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The associations of one entity mapping: objects while they are at hand, keys afterwards.

import Foundation

/// Pairs of source and destination objects in the order of association.
///
/// # States of a pair
///     recent (holds both objects) ──settle, after a save──▶ settled (32 bytes of keys)
/// # Invariants
/// (1) A position counts settled pairs first, then recent ones, so a pair keeps its position when it settles.
/// (2) Settled keys are permanent.
final class AssociationTable {
    private let source: MigrationEnd
    private let destination: MigrationEnd
    private var settledSources = KeyColumn()
    private var settledDestinations = KeyColumn()
    private var recent: [(source: NSManagedObject, destination: NSManagedObject)] = []
    private var recentBySource: [ObjectIdentifier: [Int]] = [:]
    private var recentByDestination: [ObjectIdentifier: [Int]] = [:]
    /// The entities of the associated source objects.
    private(set) var sourceEntities: Set<Int> = []

    init(source: MigrationEnd, destination: MigrationEnd) {
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

    /// Ends the pairs of destination objects that were not saved.
    func forget(_ destinations: Set<ObjectIdentifier>) {
        let kept = recent.filter { !destinations.contains(ObjectIdentifier($0.destination)) }
        guard kept.count < recent.count else { return }
        recent.removeAll()
        recentBySource.removeAll()
        recentByDestination.removeAll()
        for pair in kept { associate(pair.source, pair.destination) }
    }

    /// Lets go of the objects, which have been saved.
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

    /// The partners of source objects, each once, in the order of association; nil stands for all.
    func destinations(of objects: [NSManagedObject]?) -> [NSManagedObject] {
        guard let objects else { return unique((0..<count).map(destination(at:))) }
        return unique(objects.flatMap { sourcePositions($0) }.map(destination(at:)))
    }

    /// The partners of destination objects, each once, in the order of association; nil stands for all.
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
private struct KeyColumn {
    private var keys: [ObjectKey] = []
    /// The positions in the order of their keys; empty where they are in that order, as mostly.
    private var order: [UInt32] = []
    private var isAscending = true

    var count: Int { keys.count }
    var isEmpty: Bool { keys.isEmpty }

    subscript(position: Int) -> ObjectKey { keys[position] }

    mutating func append(_ key: ObjectKey) {
        if let last = keys.last, key.precedes(last) { isAscending = false }
        keys.append(key)
    }

    /// The positions of an object's key, ascending.
    mutating func positions(of object: NSManagedObject) -> [Int] {
        if keys.isEmpty { return [] }
        if !isAscending, order.count != keys.count { sort() }
        let key = object.objectID.objectKey
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[position(middle)].precedes(key) { low = middle + 1 } else { high = middle }
        }
        var found: [Int] = []
        while low < keys.count, keys[position(low)] == key {
            found.append(position(low))
            low += 1
        }
        return found
    }

    private func position(_ rank: Int) -> Int { order.isEmpty ? rank : Int(order[rank]) }

    private mutating func sort() {
        let keys = keys
        order = (0..<UInt32(keys.count)).sorted { one, other in
            let (left, right) = (keys[Int(one)], keys[Int(other)])
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
