// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The order in which a save writes its rows, as values without a database.

import Foundation
import Testing

@testable import CoreData

@Suite("Planning a save") struct SavePlanTests {
    @Test("checks, unlinking, deletes, updates, inserts, links, orders") func order() throws {
        let library = try Library()
        let planner = SavePlanner(schema: Schema(model: library.layout))
        let book = library.reference("Book", -3)
        var changes = ChangeSet()
        changes.checks = [.init(key: 9, layout: library.entity("Author"), baseVersion: 1)]
        changes.deletes = [.init(key: 1, layout: library.entity("Reader"), baseVersion: 1)]
        changes.updates = [
            .init(key: 2, snapshot: library.snapshot("Book", ["title": "x"]), baseVersion: 1, changed: SlotSet())
        ]
        changes.inserts = [
            library.insert("Reader", -2, [:], links: [library.links("Reader", "borrowed", added: [book])]),
            library.insert(
                "Book", -3, [:], links: [library.links("Book", "readers", added: [library.reference("Reader", -2)])]),
            library.insert("Author", -4, [:], links: [library.links("Author", "books", added: [book], order: [book])]),
        ]
        let plan = planner.plan(changes)
        let author = library.entity("Author")
        #expect(plan.prefix(5) == [.check(0), .unlinkAll(0..<1), .delete(0..<1), .update(0..<1), .insert(0..<3)])
        // The link that both ends report is written once.
        let links = plan.filter { if case .link = $0 { true } else { false } }
        #expect(links.count == 1)
        #expect(
            plan.last
                == .order(OrderedMembers(layout: author.index, slot: author.slot("books")!, owner: -4, members: [-3])))
    }

    @Test("deletions are one step, and are unlinked where one of them has links") func deletions() throws {
        let library = try Library()
        let planner = SavePlanner(schema: Schema(model: library.layout))
        let (author, reader) = (library.entity("Author"), library.entity("Reader"))
        var changes = ChangeSet()
        changes.deletes = [author, reader, author].enumerated().map { position, layout in
            .init(key: Int64(position) + 1, layout: layout, baseVersion: 1)
        }
        let plan = planner.plan(changes)
        #expect(plan == [.unlinkAll(0..<3), .delete(0..<3)])
        #expect(
            OperationBatcher.batches(plan, changes) == [
                .unlinkings(entity: author.index, positions: [0, 2]), .unlinkings(entity: reader.index, positions: [1]),
                .deletes(entity: author.index, positions: [0, 2]), .deletes(entity: reader.index, positions: [1]),
            ])
        changes.deletes = [.init(key: 1, layout: author, baseVersion: 1)]
        #expect(planner.plan(changes) == [.delete(0..<1)])
    }

    @Test("rows of one kind share a statement") func batches() throws {
        let library = try Library()
        var changes = ChangeSet()
        changes.inserts = [
            library.insert("Author", -1, [:]), library.insert("Book", -2, [:]), library.insert("Author", -3, [:]),
        ]
        let batches = OperationBatcher.batches([.insert(0..<3)], changes)
        #expect(
            batches == [
                .inserts(entity: library.entity("Author").index, positions: [0, 2]),
                .inserts(entity: library.entity("Book").index, positions: [1]),
            ])
    }
}

@Suite("Order keys") struct OrderKeyTests {
    @Test("new lists get 2048 and 1024 more for each") func fresh() {
        #expect(OrderKeys.assigned([nil, nil, nil]) == [2048, 3072, 4096])
    }

    @Test("a member put between two gets a key between theirs, and nothing else moves") func between() {
        #expect(OrderKeys.assigned([2048, nil, 3072]) == [2048, 2560, 3072])
        #expect(OrderKeys.assigned([nil, 2048]) == [1024, 2048])
        #expect(OrderKeys.assigned([2048, 3072, nil]) == [2048, 3072, 4096])
        #expect(OrderKeys.assigned([4096, 2048, 3072]) == [1024, 2048, 3072])
    }

    @Test("keys are given anew where there is no room") func crowded() {
        #expect(OrderKeys.assigned([1, nil, 2]) == [2048, 3072, 4096])
    }

    @Test("keys are given anew after the last one that fits into four bytes") func last() {
        #expect(OrderKeys.assigned([2048, 0x3fff_ffff, nil]) == [2048, 3072, 4096])
        #expect(OrderKeys.assigned([2048, 0x3fff_fbff, nil]) == [2048, 0x3fff_fbff, 0x3fff_ffff])
    }

    @Test("keys always ascend", arguments: 0..<200) func ascending(seed: Int) {
        var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let current = (0..<next(20)).map { _ in next(3) == 0 ? nil : Int64(next(50)) }
        let keys = OrderKeys.assigned(current)
        #expect(keys.count == current.count)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        #expect(keys.allSatisfy { $0 > 0 })
    }
}
