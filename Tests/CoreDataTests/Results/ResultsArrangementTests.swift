// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the order structure of results controllers as a value: random edits, and the descriptions of them.

import CoreDataFoundation
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Arrangement of results") struct ResultsArrangementTests {
    private static let edits =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_RESULTS"].flatMap(Int.init).map { $0 * 10 } ?? 2000

    /// Proves: R15, R17, R35
    @Test("the difference of two arrangements turns one into the other", arguments: [true, false])
    func applicable(isSectioned: Bool) throws {
        let shop = try Bookshop(in: .inMemory)
        let work = ArrangementWork((0..<40).map { shop.book("B\($0)") }, isSectioned: isSectioned, seed: 7)
        for number in 0..<Self.edits {
            let failure = work.edit()
            #expect(failure == nil, "edit \(number)")
            if failure != nil { break }
        }
        withExtendedLifetime(shop) {}
    }

    @Test("many objects stay in order")
    func large() throws {
        let shop = try Bookshop(in: .inMemory)
        let work = ArrangementWork((0..<3000).map { shop.book("B\($0)") }, isSectioned: false, seed: 8)
        for _ in 0..<40 { #expect(work.edit(ofEach: 3) == nil) }
        withExtendedLifetime(shop) {}
    }

    @Test("the heaviest ascending run stays")
    func runs() {
        func stays(_ items: [(Int, Int)]) -> [Bool] { OrderedSubsequence.stays(items.map { ($0.0, $0.1) }) }
        #expect(stays([(0, 1), (1, 1), (2, 1)]) == [true, true, true])
        #expect(stays([(1, 1), (2, 1), (0, 1)]) == [true, true, false])
        #expect(stays([(1, 1), (2, 1), (0, 5)]) == [false, false, true])
        #expect(stays([(2, 1), (0, 1), (3, 1), (1, 1), (4, 1)]).filter { $0 }.count == 3)
        #expect(stays([]) == [])
    }
}

/// An arrangement, and a plain list that its differences are applied to.
private final class ArrangementWork {
    private let objects: [NSManagedObject]
    private let isSectioned: Bool
    private let arrangement: ResultsArrangement
    private let order = ResultOrder(columns: [.init(comparison: .standard, isAscending: true)], isTieAscending: true)
    private var placements: [ObjectIdentifier: ResultPlacement] = [:]
    private var random: SeededGenerator
    private var names: [String] = []
    private var lists: [[NSManagedObject]] = []

    init(_ objects: [NSManagedObject], isSectioned: Bool, seed: UInt64) {
        self.objects = objects
        self.isSectioned = isSectioned
        random = SeededGenerator(seed: seed)
        arrangement = ResultsArrangement(order, isSectioned: isSectioned, []) { _ in
            preconditionFailure("All placements are given.")
        }
        (names, lists) = state
    }

    private var state: ([String], [[NSManagedObject]]) {
        (arrangement.sections.map(\.name), arrangement.sections.map { $0.entries.map(\.object) })
    }

    private func placement(_ number: Int) -> ResultPlacement {
        ResultPlacement(
            values: [.integer(Int64.random(in: 0..<Int64(max(objects.count / 4, 6)), using: &random))],
            tie: ResultTie(store: 0, key: UInt64(number)),
            sectionName: isSectioned ? ["x", "y", "z", "w", "v"].randomElement(using: &random) ?? "" : "")
    }

    /// - Returns: a mistake, if there is one afterwards.
    func edit(ofEach share: Int = 6) -> String? {
        var edit = ResultsEdit()
        for (number, object) in objects.enumerated() where Int.random(in: 0..<share, using: &random) == 0 {
            guard let entry = arrangement.entry(of: object) else {
                let placement = placement(number)
                placements[ObjectIdentifier(object)] = placement
                edit.inserted.append(ResultEntry(object, placement: placement))
                continue
            }
            if random.chance(0.3) {
                edit.removed.append(entry)
                placements[ObjectIdentifier(object)] = nil
            } else {
                let placement = random.chance(0.3) ? entry.placement ?? placement(number) : placement(number)
                placements[ObjectIdentifier(object)] = placement
                edit.changed.append(.init(entry: entry, placement: placement, isUpdate: random.chance(0.8)))
            }
        }
        let change = arrangement.apply(edit)
        if let failure = apply(change) { return failure }
        return (names, lists) == state ? unsorted() ?? unfound() : "applying gives \(names), not \(state.0)"
    }

    private func apply(_ change: ResultsChange) -> String? {
        for item in change.deletions + change.moves {
            guard let old = item.old, lists.indices.contains(old.section),
                lists[old.section].indices.contains(old.item),
                lists[old.section][old.item] === item.entry.object
            else { return "an old path names another object" }
        }
        for old in (change.deletions + change.moves).compactMap(\.old).sorted(by: >) {
            lists[old.section].remove(at: old.item)
        }
        for section in change.deletedSections {
            guard names[section.index] == section.name, lists[section.index].isEmpty else { return "a wrong section" }
            names.remove(at: section.index)
            lists.remove(at: section.index)
        }
        for section in change.insertedSections {
            names.insert(section.name, at: section.index)
            lists.insert([], at: section.index)
        }
        let put = (change.insertions + change.moves).sorted { one, other in
            guard let new = one.new, let otherNew = other.new else { return false }
            return new < otherNew
        }
        for item in put {
            guard let new = item.new, new.item <= lists[new.section].count else { return "a path beyond the end" }
            lists[new.section].insert(item.entry.object, at: new.item)
        }
        for item in change.updates {
            guard let new = item.new, lists[new.section][new.item] === item.entry.object else {
                return "an update names another object"
            }
        }
        return nil
    }

    /// Compares with sorting everything.
    private func unsorted() -> String? {
        let sorted = objects.filter { placements[ObjectIdentifier($0)] != nil }.sorted { one, other in
            guard let a = placements[ObjectIdentifier(one)], let b = placements[ObjectIdentifier(other)] else {
                return false
            }
            return order.precedes(a, b)
        }
        var (names, lists): ([String], [[NSManagedObject]]) = isSectioned ? ([], []) : ([""], [[]])
        for object in sorted {
            let name = placements[ObjectIdentifier(object)]?.sectionName ?? ""
            if let known = names.firstIndex(of: name) {
                lists[known].append(object)
            } else {
                names.append(name)
                lists.append([object])
            }
        }
        return (names, lists) == state ? nil : "the order is wrong"
    }

    private func unfound() -> String? {
        for (section, list) in lists.enumerated() {
            for (item, object) in list.enumerated() {
                if arrangement.path(of: object) != ResultPath(section: section, item: item) { return "a wrong path" }
            }
        }
        return nil
    }
}
