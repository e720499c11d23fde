// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The row cache when several saves and reads end in another order than that of their beginnings.

import Foundation
import CoreDataTestSupport
import Testing

@testable import CoreData

@Suite("The row cache") struct RowCacheTests {
    // Declared first, so released first: rows do not retain their layouts, which belong to the library.
    private let cache = RowCache()
    private let library: Library

    init() throws { library = try Library() }

    private func row(_ version: Int64, _ name: String) -> FetchedRow {
        FetchedRow(key: 7, snapshot: library.snapshot("Author", ["name": name], version: version))
    }

    private func fill(_ rows: [FetchedRow]) { cache.fill(rows, since: cache.moment) }

    private var root: Int { library.entity("Author").rootIndex }

    private var known: (version: Int64, name: String)? {
        let layout = library.entity("Author")
        return cache.row(root: layout.rootIndex, key: 7).map { row in
            (row.version, row.value(layout.slot("name")!) as? String ?? "")  // "name" is Library's
        }
    }

    @Test("a row that was read or saved before another one does not replace it") func order() {
        fill([row(2, "second")])
        fill([row(1, "first")])
        #expect(known?.name == "second")
        fill([row(2, "second, read again")])
        #expect(known?.name == "second, read again")
        fill([row(3, "third")])
        #expect(known?.name == "third")
    }

    @Test("tells a retained row from a newer one") func others() throws {
        let first = row(1, "first")
        #expect(!cache.hasOther(root: root, key: 7, than: Uncounted(first.snapshot)))
        fill([first])
        let held = try #require(cache.row(root: root, key: 7))
        #expect(!cache.hasOther(root: root, key: 7, than: Uncounted(held)))
        fill([row(2, "second")])
        #expect(cache.hasOther(root: root, key: 7, than: Uncounted(held)))
        withExtendedLifetime((first, held)) {}
    }

    @Test("the memory of deleted and of released rows is given back") func pages() {
        let last: Int64 = 2_000
        func rows() -> [FetchedRow] {
            (1...last).map { FetchedRow(key: $0, snapshot: library.snapshot("Author", ["name": "x"], version: 1)) }
        }
        fill(rows())
        #expect(cache.pageCount == 8)
        let names = (1...last).map { ObjectKey(root, $0) }
        cache.accept([], insertions: 0, recomputed: [], deleted: names, since: cache.moment)
        #expect(cache.pageCount == 0)
        fill(rows())
        let held = cache.row(root: root, key: 7)
        cache.dropUnheld()
        #expect(cache.pageCount == 1)
        #expect(cache.row(root: root, key: 7) === held)
    }

    @Test("the row of a conflict is known, unless a later version makes it doubtful") func correction() {
        cache.correct(row(2, "second"), since: cache.moment)
        #expect(known?.name == "second")
        cache.correct(row(4, "fourth"), since: cache.moment)
        #expect(known?.version == 4)
        cache.correct(row(3, "third"), since: cache.moment)
        #expect(known == nil)
    }

    @Test("a reader from before a deletion does not put the record back") func ghost() {
        let reader = CacheFillPermit(cache)
        fill([row(1, "first")])
        cache.accept([], insertions: 0, recomputed: [], deleted: [ObjectKey(root, 7)], since: cache.moment)
        reader.record([row(1, "first")])
        #expect(known == nil)
        // A later writer of the record knows of the deletion.
        fill([row(2, "again")])
        reader.record([row(1, "first")])
        #expect(known?.name == "again")
    }

    @Test("a reader from before a change does not put the old row back, when the change is not cached any more")
    func regression() {
        let reader = CacheFillPermit(cache)
        cache.accept([row(2, "second")], insertions: 0, recomputed: [], deleted: [], since: cache.moment)
        cache.dropUnheld()
        #expect(known == nil)
        reader.record([row(1, "first")])
        #expect(known == nil)
        CacheFillPermit(cache).record([row(2, "second")])
        #expect(known?.name == "second")
    }

    @Test("a row that is known to be later serves, doubtful or not") func laterVersion() {
        let reader = CacheFillPermit(cache)
        cache.accept([row(2, "second")], insertions: 0, recomputed: [], deleted: [], since: cache.moment)
        reader.record([row(3, "third")])
        #expect(known?.name == "third")
    }

    @Test("insertions make no reader doubt") func insertions() {
        let moment = cache.moment
        cache.accept([row(1, "first")], insertions: 1, recomputed: [], deleted: [], since: moment)
        #expect(cache.moment == moment)
    }

    @Test("more changes than are kept make older readers doubt everything") func bound() {
        let (older, moment) = (CacheFillPermit(cache), cache.moment)
        cache.forget(root: root, keys: CollectionOfOne(7))
        let reader = CacheFillPermit(cache)
        cache.forget(root: root, keys: 100..<100 + Int64(RowChanges.most))
        for permit in [older, reader] { permit.record([row(1, "first")]) }
        #expect(known == nil)
        #expect(cache.moment == moment + 2)
        CacheFillPermit(cache).record([row(1, "first")])
        #expect(known?.name == "first")
    }

    @Test("a reader from before everything was forgotten fills nothing") func forgetting() {
        let reader = CacheFillPermit(cache)
        cache.forgetAll()
        reader.record([row(1, "first")])
        cache.correct(row(1, "first"), since: cache.moment - 1)
        #expect(known == nil)
    }

    @Test(
        "in any order of reads, saves and sweeps, a row that nobody is saving is the store's", arguments: 0..<16)
    func anyOrder(seed: UInt64) {
        var run = CacheRun(cache, library, seed)
        var faults: [String] = []
        for step in 0..<400 {
            run.step()
            if let fault = run.fault { faults.append("after step \(step): \(fault)") }
        }
        #expect(faults == [])
        #expect(run.hits > 20)
    }
}

/// A store of a few records that are read and saved at random, each in two steps as by separate threads.
private struct CacheRun {
    private struct Save {
        let moment: Int
        var written: [FetchedRow] = []
        var insertions: [FetchedRow] = []
        var deleted: [Int64] = []

        var keys: [Int64] { (written + insertions).map(\.key) + deleted }
    }

    private let cache: RowCache
    private let library: Library
    private let root: Int
    private var chance: SeededGenerator
    private let keys: [Int64] = Array(1...5)
    private var stored: [Int64: Int64] = [:]
    private var lastVersions: [Int64: Int64] = [:]
    private var readers: [(permit: CacheFillPermit, rows: [FetchedRow])] = []
    private var saves: [Save] = []
    /// The number of rows that were compared.
    private(set) var hits = 0

    init(_ cache: RowCache, _ library: Library, _ seed: UInt64) {
        (self.cache, self.library) = (cache, library)
        root = library.entity("Author").rootIndex
        chance = SeededGenerator(seed: seed)
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &chance) {
        case ..<25: read()
        case ..<50: fill()
        case ..<68: save()
        case ..<90: accept()
        case ..<97: cache.dropUnheld()
        case ..<99: cache.forget(root: root, keys: CollectionOfOne(keys.randomElement(using: &chance)!))  // not empty
        default: cache.forget(root: root, keys: 100..<100 + Int64(RowChanges.most))
        }
    }

    /// A cached row that is neither the store's nor about to be replaced.
    var fault: String? {
        mutating get {
            let busy = Set(saves.flatMap(\.keys))
            for key in keys where !busy.contains(key) {
                guard let row = cache.row(root: root, key: key) else { continue }
                hits += 1
                if stored[key] != row.version { return "\(key) is \(row.version), not \(stored[key] ?? 0)" }
            }
            return nil
        }
    }

    private func row(_ key: Int64, _ version: Int64) -> FetchedRow {
        FetchedRow(key: key, snapshot: library.snapshot("Author", ["name": "\(key)-\(version)"], version: version))
    }

    private mutating func read() {
        readers.append((CacheFillPermit(cache), stored.sorted { $0.key < $1.key }.map { row($0.key, $0.value) }))
    }

    /// Puts part of the rows of one of the readers into the cache.
    private mutating func fill() {
        guard let place = readers.indices.randomElement(using: &chance) else { return }
        let count = Int.random(in: 0...readers[place].rows.count, using: &chance)
        readers[place].permit.record(readers[place].rows.prefix(count))
        readers[place].rows.removeFirst(count)
        if readers[place].rows.isEmpty { readers.remove(at: place) }
    }

    private mutating func save() {
        var save = Save(moment: cache.moment)
        for key in keys.shuffled(using: &chance).prefix(2) {
            let version = (lastVersions[key] ?? 0) + 1
            if stored[key] == nil {
                save.insertions.append(row(key, version))
            } else if chance.chance(0.4) {
                save.deleted.append(key)
                stored[key] = nil
                continue
            } else {
                save.written.append(row(key, version))
            }
            (stored[key], lastVersions[key]) = (version, version)
        }
        saves.append(save)
    }

    private mutating func accept() {
        guard let place = saves.indices.randomElement(using: &chance) else { return }
        let save = saves.remove(at: place)
        cache.accept(
            save.insertions + save.written, insertions: save.insertions.count, recomputed: [],
            deleted: save.deleted.map { ObjectKey(root, $0) }, since: save.moment)
    }
}
