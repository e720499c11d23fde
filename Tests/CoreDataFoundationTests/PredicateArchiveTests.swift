// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that predicates and expressions survive an archive, and need permission before they are evaluated.

import Foundation
import Testing

@testable import CoreDataFoundation

private typealias NSExpression = CoreDataFoundation.NSExpression
private typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate

@Suite("Archived predicates") struct PredicateArchiveTests {
    private static let classes: [AnyClass] = [NSPredicate.self, NSExpression.self]

    private func archived(_ predicate: NSPredicate) throws -> NSPredicate {
        let data = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        return try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.classes, from: data) as? NSPredicate)
    }

    @Test(
        "an archive gives an equal predicate",
        arguments: [
            "a == 1", "a.b LIKE[cd] 'x*' OR NOT (c BETWEEN {1, 2.5} AND TRUEPREDICATE)", "ANY a.b > $x.y",
            "ALL a.b != nil",
            "SUBQUERY(items, $x, $x.price > 3 AND $x.name IN {'a', 'b'}).@count > 0",
            "a UNION b == c INTERSECT d MINUS e",
            "TERNARY(a == 1, b, c[2]) == SELF[FIRST]", "sum:(a) + now() < CAST(b, 'NSDate')", "ANYKEY == 'x'",
            "FUNCTION(a, 'uppercaseString') == 'A'", "FALSEPREDICATE", "a == CAST(12.5, 'NSDate')",
        ])
    func roundTrip(format: String) throws {
        let predicate = NSPredicate(format: format)
        let read = try archived(predicate)
        #expect(read == predicate)
        #expect(read.hash == predicate.hash)
        #expect("\(read)" == "\(predicate)")
    }

    @Test("constants of all kinds that archives can hold are in it")
    func constants() throws {
        // The optionals are literals.
        let values: [Any] = [
            true, -3, UInt64.max, 1.5, Decimal(string: "12.345")!, "é\"", Date(timeIntervalSinceReferenceDate: 1.25),
            UUID(), URL(string: "https://a.b/c")!, Data([0, 255]), [1, 2], Set(["a"]), ["k": 1],
        ]
        for value in values {
            let predicate = NSPredicate(format: "a == %@", value)
            let read = try archived(predicate)
            #expect(read == predicate, "\(read) was \(predicate)")
        }
        #expect(try archived(NSPredicate(format: "a == %@", nil)) == NSPredicate(format: "a == nil"))
    }

    @Test("random trees survive", arguments: 0..<3)
    func random(seed: Int) throws {
        var trees = RandomTrees(random: SplitMix(state: UInt64(seed) &+ 99))
        for _ in 0..<60 {
            let predicate = trees.predicate(depth: 4).predicate
            #expect(try archived(predicate) == predicate)
        }
    }

    @Test("expressions are archived on their own")
    func expressions() throws {
        let expression = NSExpression(format: "price * (1 + $rate)")
        let data = try NSKeyedArchiver.archivedData(withRootObject: expression, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data)
        #expect(read == expression)
        let comparison = NSPredicate(format: "a == 1")
        let bytes = try NSKeyedArchiver.archivedData(withRootObject: comparison, requiringSecureCoding: true)
        let typed = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSComparisonPredicate.self, from: bytes)
        #expect(typed == comparison)
    }

    @Test("a predicate from an archive is evaluated once it is allowed")
    func permission() async throws {
        let predicate = try archived(NSPredicate(format: "a == 1 AND NOT b == 2"))
        predicate.allowEvaluation()
        #expect(predicate.evaluate(with: ["a": 1, "b": 3]))
        #expect(predicate.copy() as? NSPredicate == predicate)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: NSPredicate(format: "a == 1"), requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSPredicate.self], from: data)
            _ = (read as? NSPredicate)?.evaluate(with: ["a": 1])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("allowEvaluation"))
    }

    private func archived(_ descriptor: NSSortDescriptor) throws -> NSSortDescriptor {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: descriptor, requiringSecureCoding: true)
        return try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSSortDescriptor.self], from: data)
                as? NSSortDescriptor)
    }

    @Test(
        "sort descriptors by key survive", arguments: SortComparison.allCases.map(\.rawValue),
        [true, false])
    func sorting(selector: String, ascending: Bool) throws {
        for key in ["a.b", nil] {
            let descriptor = NSSortDescriptor(
                key: key, ascending: ascending, selector: Selector(selector))
            let read = try archived(descriptor)
            #expect(read == descriptor)
            #expect(
                read.key == key && read.ascending == ascending && read.selector?.description == selector)
        }
    }

    @Test("a sort descriptor from an archive compares once it is allowed; a comparator is in none")
    func sortingPermission() async throws {
        let descriptor = try archived(NSSortDescriptor(key: "a", ascending: false))
        descriptor.allowEvaluation()
        #expect(descriptor.compare(["a": 1], to: ["a": 2]) == .orderedDescending)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let descriptor = NSSortDescriptor(key: "a", ascending: true)
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: descriptor, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [NSSortDescriptor.self], from: data)
            _ = (read as? NSSortDescriptor)?.compare(["a": 1], to: ["a": 2])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("allowEvaluation"))
        await #expect(processExitsWith: .failure) {
            let descriptor = NSSortDescriptor(
                key: "a", ascending: true, comparator: { _, _ in .orderedSame })
            _ = try NSKeyedArchiver.archivedData(withRootObject: descriptor, requiringSecureCoding: true)
        }
    }

    @Test("code and values without an archived form are refused with a sentence")
    func code() async {
        await #expect(processExitsWith: .failure) {
            let block = NSPredicate { _, _ in true }
            let predicate = NSPredicate(format: "a == 1 AND %@", block)
            _ = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        }
        await #expect(processExitsWith: .failure) {
            let predicate = NSPredicate(format: "a == %@", NSObject())
            _ = try NSKeyedArchiver.archivedData(withRootObject: predicate, requiringSecureCoding: true)
        }
    }

    @Test("a damaged archive gives nothing or an error")
    func damage() throws {
        let good = try NSKeyedArchiver.archivedData(
            withRootObject: NSPredicate(format: "a == 1 OR b BETWEEN {1, 2}"), requiringSecureCoding: true)
        let whole = try #require(
            try PropertyListSerialization.propertyList(from: good, format: nil) as? [String: Any])
        let objects = try #require(whole["$objects"] as? [Any])
        var read = 0
        for index in objects.indices {
            guard var object = objects[index] as? [String: Any] else { continue }
            for key in object.keys where key.hasPrefix("NS") && key != "NS.objects" {
                object.removeValue(forKey: key)
                var copy = whole
                var list = objects
                list[index] = object
                copy["$objects"] = list
                let data = try PropertyListSerialization.data(fromPropertyList: copy, format: .binary, options: 0)
                if (try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.classes, from: data)) == nil { read += 1 }
            }
        }
        #expect(read > 3)
    }
}
