// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads and sets properties through arrays, sets and dictionaries.

import CoreDataFoundation
import Foundation
import Testing

@Suite("Key-value coding of collections")
struct FoundationCollectionsTests {
    private final class Person: NSObject, KeyValueCoding {
        var values: [String: Any]
        init(_ values: [String: Any]) { self.values = values }
        func value(forKey key: String) -> Any? { values[key] }
        func setValue(_ value: Any?, forKey key: String) { values[key] = value }
    }

    private let people = [
        Person(["name": "Ann", "salary": 3, "tags": NSSet(array: ["a", "b"])]),
        Person(["name": "Bob", "salary": 5, "tags": NSSet(array: ["b"])]),
        Person(["salary": 5]),
    ]

    /// Proves: M4
    @Test("arrays keep nil and order, sets keep neither")
    func reading() {
        let array = NSArray(array: people)
        #expect(array.value(forKey: "name") as? [AnyHashable] == ["Ann", "Bob", NSNull()])
        #expect(array.value(forKeyPath: "@sum.salary") as? Int == 13)
        #expect(array.value(forKeyPath: "@max.salary") as? Int == 5)
        #expect(array.value(forKey: "@count") as? Int == 3)
        #expect(NSSet(array: people).value(forKey: "name") as? NSSet == NSSet(array: ["Ann", "Bob"]))
        #expect(NSSet(array: people).value(forKeyPath: "salary") as? NSSet == NSSet(array: [3, 5]))
        let ordered = NSOrderedSet(array: people)
        #expect(ordered.value(forKey: "name") as? NSOrderedSet == NSOrderedSet(array: ["Ann", "Bob"]))
        let dictionary = NSDictionary(dictionary: ["all": array, "first": people[0]])
        #expect(dictionary.value(forKeyPath: "first.name") as? String == "Ann")
        #expect(dictionary.value(forKeyPath: "all.@distinctUnionOfObjects.salary") as? [Int] == [3, 5])
        #expect(dictionary.value(forKeyPath: "none.name") == nil)
    }

    @Test("an empty collection has the sum 0 and the mean 0, and no greatest value")
    func emptyCollections() {
        #expect(NSArray().value(forKeyPath: "@sum.salary") as? Int == 0)
        #expect(NSArray().value(forKeyPath: "@avg.salary") as? Double == 0)
        #expect(NSSet().value(forKeyPath: "@avg.salary") as? Double == 0)
        #expect(NSArray().value(forKeyPath: "@max.salary") == nil)
    }

    /// Proves: M3
    @Test("a value set on a collection is set on every member, and along a chain on its end")
    func writing() {
        NSArray(array: people).setValue(7, forKey: "salary")
        #expect(people.allSatisfy { $0.values["salary"] as? Int == 7 })
        let boss = Person(["assistant": people[1]])
        boss.setValue("Bea", forKeyPath: "assistant.name")
        #expect(boss.value(forKeyPath: "assistant.name") as? String == "Bea")
        boss.setValue(1, forKeyPath: "nobody.name")
        let dictionary = NSMutableDictionary()
        dictionary.setValue(1, forKey: "a")
        #expect(dictionary.value(forKey: "a") as? Int == 1)
        dictionary.setValue(nil, forKey: "a")
        #expect(dictionary.count == 0)
    }
}
