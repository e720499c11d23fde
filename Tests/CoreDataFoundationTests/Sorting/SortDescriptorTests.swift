// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sorts objects by their keys.

import Foundation
import Testing

@testable import CoreDataFoundation

@Suite("Sorting by key")
struct SortDescriptorTests {
    final class Person: NSObject {
        let name: String
        let age: Int?
        init(_ name: String, _ age: Int?) { (self.name, self.age) = (name, age) }
    }

    /// A class that knows the names of its key paths.
    final class Titled: KeyValueCoding, KeyPathRoot {
        let title: String
        init(_ title: String) { self.title = title }
        func value(forKey key: String) -> Any? { key == "title" ? title : nil }
        func setValue(_ value: Any?, forKey key: String) {}
        /// Reads through the path, as managed objects do: a descriptor has another path to the same property.
        static func keyPathName(_ path: AnyKeyPath) -> String? {
            presentValue(Titled("probe")[keyPath: path]) as? String == "probe" ? "title" : nil
        }
    }

    private func names(_ rows: [[String: Any]], _ descriptors: NSSortDescriptor...) throws -> [String] {
        let sorted = try ObjectOrdering(descriptors).sorted(rows)
        let ordering = ObjectOrdering(descriptors)
        let compared = rows.sorted { ordering.areInIncreasingOrder($0, $1) }
        let result = sorted.compactMap { $0["name"] as? String }
        #expect(compared.compactMap { $0["name"] as? String } == result)
        return result
    }

    let rows: [[String: Any]] = [
        ["name": "b", "age": 2], ["name": "C", "age": 1.5], ["name": "a"], ["name": "B", "age": Decimal(2)],
    ]

    @Test("nil comes first, and last when descending")
    func nils() throws {
        #expect(try names(rows, NSSortDescriptor(key: "age", ascending: true)) == ["a", "C", "b", "B"])
        #expect(try names(rows, NSSortDescriptor(key: "age", ascending: false)) == ["b", "B", "C", "a"])
    }

    @Test("a later descriptor decides among equals")
    func several() throws {
        let sorted = try names(
            rows, NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "name", ascending: true))
        #expect(sorted == ["B", "b", "C", "a"])
    }

    @Test("selectors name the order of strings")
    func selectors() throws {
        #expect(try names(rows, NSSortDescriptor(key: "name", ascending: true)) == ["B", "C", "a", "b"])
        let folded = NSSortDescriptor(key: "name", ascending: true, selector: "caseInsensitiveCompare:")
        #expect(try names(rows, folded) == ["a", "b", "B", "C"])
        #expect(folded.selector == Selector("caseInsensitiveCompare:"))
        let files = [["name": "x10"], ["name": "x9"]]
        let natural = NSSortDescriptor(key: "name", ascending: true, selector: Selector("localizedStandardCompare:"))
        #expect(try names(files, natural) == ["x9", "x10"])
        let localized = NSSortDescriptor(key: "name", ascending: true, selector: "localizedCompare:")
        #expect(try names(files, localized) == ["x10", "x9"])
    }

    @Test("a localized order takes two cases for equal only if its selector says so")
    func localizedCases() throws {
        let cases = [["name": "B"], ["name": "b"], ["name": "A"]]
        let localized = NSSortDescriptor(key: "name", ascending: true, selector: "localizedCompare:")
        #expect(try names(cases, localized) == ["A", "b", "B"])
        let folded = NSSortDescriptor(key: "name", ascending: true, selector: "localizedCaseInsensitiveCompare:")
        #expect(try names(cases, folded) == ["A", "B", "b"])
    }

    @Test("a comparator gets values that are not nil")
    func comparators() throws {
        let byLast = NSSortDescriptor(key: "age", ascending: true) { left, right in
            ValueComparison.sortOrder(right, left)
        }
        #expect(try names(rows, byLast) == ["a", "b", "B", "C"])
        #expect(byLast.sortKey == nil)
        #expect(byLast.selector == nil)
    }

    @Test("a comparator with a typed key path differs from the order by value")
    func typedComparators() {
        let names: [NSString] = ["bb", "a", "ccc"]
        let byLength = NSSortDescriptor(keyPath: \NSString.description, ascending: false) { left, right in
            ValueComparison.sortOrder("\(left)".count, "\(right)".count)
        }
        #expect(byLength.selector == nil && byLength.sortKey == nil)
        #expect((byLength.reversedSortDescriptor as? NSSortDescriptor)?.selector == nil)
        #expect(NSArray(array: names).sortedArray(using: [byLength]) as? [NSString] == ["ccc", "bb", "a"])
        #expect((try? ObjectOrdering([byLength]).sorted(names)) == ["ccc", "bb", "a"])
        let byValue = [
            NSSortDescriptor(keyPath: \NSString.length, ascending: true),
            NSSortDescriptor(keyPath: \NSDate.timeIntervalSinceReferenceDate, ascending: true),
            NSSortDescriptor(keyPath: \NSNumber.decimalValue, ascending: false),
        ]
        for descriptor in byValue {
            #expect(descriptor.selector == "compare:")
            #expect((descriptor.reversedSortDescriptor as? NSSortDescriptor)?.selector == "compare:")
        }
        #expect((try? ObjectOrdering([byValue[0]]).sorted(names)) == ["a", "bb", "ccc"])
        let commented = NSSortDescriptor(keyPath: \Titled.title, ascending: true) { _, _ in .orderedSame }
        #expect(commented.selector == nil && commented.sortKey == nil)
    }

    @Test("an order by value that generic code makes counts as a comparator, and sorts as it says")
    func genericOrders() throws {
        func descriptor<Root, Value: Comparable>(_ path: KeyPath<Root, Value>) -> NSSortDescriptor {
            NSSortDescriptor(keyPath: path, ascending: false)
        }
        #expect(descriptor(\Titled.title).sortKey == nil)
        #expect(
            try ObjectOrdering([descriptor(\Titled.title)]).sorted([Titled("a"), Titled("b")]).map(\.title) == [
                "b", "a",
            ])
    }

    @Test("Foundation's collections sort by these descriptors")
    func collections() {
        let array = NSArray(array: [3, 1, 2])
        let descriptor = NSSortDescriptor(key: "self", ascending: false)
        #expect(array.sortedArray(using: [descriptor]) as? [Int] == [3, 2, 1])
        #expect(array.sortedArray(using: [NSSortDescriptor(key: nil, ascending: true)]) as? [Int] == [1, 2, 3])
    }

    @Test("a descriptor can be reversed, copied and compared")
    func values() throws {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: true)
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        #expect(reversed == NSSortDescriptor(key: "a.b", ascending: false))
        #expect(reversed != descriptor)
        #expect(descriptor.copy() as? NSSortDescriptor == descriptor)
        #expect(descriptor != NSSortDescriptor(key: "a.b", ascending: true, selector: "localizedCompare:"))
        #expect(descriptor.key == "a.b")
        let sortKey = try #require(reversed.sortKey)
        #expect(sortKey.key == "a.b" && !sortKey.ascending && sortKey.comparison == .standard)
    }

    @Test("a key path to an optional sorts nil first")
    func keyPaths() throws {
        let people = [Person("x", 3), Person("y", nil), Person("z", 1)]
        let descriptor = NSSortDescriptor(keyPath: \Person.age, ascending: true)
        #expect(try ObjectOrdering([descriptor]).sorted(people).map(\.name) == ["y", "z", "x"])
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        #expect(try ObjectOrdering([reversed]).sorted(people).map(\.name) == ["x", "z", "y"])
        let byName = NSSortDescriptor(keyPath: \Person.name, ascending: false)
        #expect(try ObjectOrdering([byName]).sorted(people).map(\.name) == ["z", "y", "x"])
        #expect(byName.sortKey == nil)
        let byTitle = NSSortDescriptor(keyPath: \Titled.title, ascending: false)
        #expect(byTitle.sortKey?.key == "title" && byTitle.selector == "compare:")
        #expect(try ObjectOrdering([byTitle]).sorted([Titled("a"), Titled("b")]).map(\.title) == ["b", "a"])
    }

    @Test("an unknown key throws when many are sorted, and an unknown selector names the known ones")
    func misuse() async {
        #expect(throws: KeyValueError.unknownKey("x", type: "Int")) {
            try ObjectOrdering([NSSortDescriptor(key: "x", ascending: true)]).sorted([1, 2])
        }
        await #expect(processExitsWith: .failure) {
            _ = NSSortDescriptor(key: "x", ascending: true, selector: "frobnicate:")
        }
    }
}
