// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row cache while several threads read, save and forget rows at the same time.

import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

@testable import CoreData

@Suite("The row cache on several threads") struct RowCacheThreadTests {
    /// Proves: Objects-R2, Objects-R3, Objects-R4, Objects-R8
    @Test("when all threads are done, each row in the cache is the store's", arguments: 0..<4)
    func atRest(seed: UInt64) throws {
        let run = CacheTraffic(try Library(), seed)
        var faults: [String] = []
        for round in 0..<60 {
            run.round(UInt64(round))
            faults += run.faults.map { "after round \(round): \($0)" }
        }
        #expect(faults == [])
        #expect(run.hits > 60)
    }
}

/// A store of some records, whose commits have an order. Everything else happens at any time.
private final class CacheTraffic: @unchecked Sendable {  // `records` has a lock, `hits` is used between rounds
    private struct Records {
        var stored: [Int64: Int64] = [:]
        var lastVersions: [Int64: Int64] = [:]
    }

    private let cache = RowCache()
    private let library: Library
    private let root: Int
    private let seed: UInt64
    /// In several pages, and so in several parts of the cache.
    private let keys = (0..<12).map { Int64(1 + $0 * 131) }
    private let records = Mutex(Records())
    /// The number of rows that were compared.
    private(set) var hits = 0

    init(_ library: Library, _ seed: UInt64) {
        (self.library, self.seed) = (library, seed)
        root = library.entity("Author").rootIndex
    }

    /// Two threads that save and two that read, until all are done.
    func round(_ number: UInt64) {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var chance = SeededGenerator(seed: seed &* 1_000 &+ number &* 4 &+ UInt64(thread))
            for _ in 0..<50 {
                if thread < 2 { save(&chance) } else { read(&chance) }
            }
        }
    }

    /// Rows of the cache that are not the store's. Only between rounds.
    var faults: [String] {
        let stored = records.withLock { $0.stored }
        return keys.compactMap { key in
            guard let row = cache.row(root: root, key: key) else { return nil }
            hits += 1
            return stored[key] == row.version ? nil : "\(key) is \(row.version), not \(stored[key] ?? 0)"
        }
    }

    private func row(_ key: Int64, _ version: Int64) -> FetchedRow {
        FetchedRow(key: key, snapshot: library.snapshot("Author", ["name": "\(key)-\(version)"], version: version))
    }

    private func read(_ chance: inout SeededGenerator) {
        let permit = CacheFillPermit(cache)
        let stored = records.withLock { $0.stored }
        let rows = stored.sorted { $0.key < $1.key }.map { row($0.key, $0.value) }
        if chance.chance(0.02) {
            cache.forget(root: root, keys: CollectionOfOne(keys[Int.random(in: keys.indices, using: &chance)]))
        }
        permit.record(rows)
    }

    private func save(_ chance: inout SeededGenerator) {
        let moment = cache.moment
        var insertions: [(key: Int64, version: Int64)] = []
        var changes: [(key: Int64, version: Int64)] = []
        var deletions: [Int64] = []
        records.withLock { records in
            for key in keys.shuffled(using: &chance).prefix(3) {
                let version = (records.lastVersions[key] ?? 0) + 1
                if records.stored[key] == nil {
                    insertions.append((key, version))
                } else if chance.chance(0.3) {
                    deletions.append(key)
                    records.stored[key] = nil
                    continue
                } else {
                    changes.append((key, version))
                }
                records.stored[key] = version
                records.lastVersions[key] = version
            }
        }
        cache.accept(
            (insertions + changes).map { row($0.key, $0.version) }, insertions: insertions.count, recomputed: [],
            deleted: deletions.map { ObjectKey(root, $0) }, since: moment)
    }
}
