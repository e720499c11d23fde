// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Follows key paths over objects, dictionaries and collections.

import Foundation
import Testing

@testable import CoreDataFoundation

final class Node: KeyValueCoding {
    var values: [String: Any]
    init(_ values: [String: Any]) { self.values = values }
    func value(forKey key: String) -> Any? { values[key] }
    func setValue(_ value: Any?, forKey key: String) { values[key] = value }
}

private struct Row: KeyValueReadable {
    let values: [String: Int]
    func storedValue(forKey key: String) throws -> Any? {
        guard let value = values[key] else { throw KeyValueError.unknownKey(key, type: "Row") }
        return value
    }
}

@Suite("Reading along key paths")
struct KeyPathReaderTests {
    let company = Node([
        "name": "Works",
        "head": Node(["name": "Ada", "address": Node(["city": "Ulm"])]),
        "people": [
            Node(["name": "Ada", "pay": 10, "tags": ["a", "b"]]), Node(["name": "Ben", "pay": 20, "tags": ["b"]]),
            Node(["name": "Ada"]),
        ],
    ])

    private func read(_ path: String) throws -> Any? { try value(atKeyPath: path, of: company) }

    @Test("a string has a length, in UTF-16")
    func length() throws {
        #expect(try read("head.name.length") as? Int == 3)
        #expect(try value(atKeyPath: "length", of: "a😀") as? Int == 3)
        #expect(try value(atKeyPath: "length", of: "" as NSString) as? Int == 0)
        #expect(try NSPredicate.parsing("length >= 2 AND length <= 3").evaluate(with: "abc"))
    }

    @Test("a path goes from object to object and stops at nil")
    func chains() throws {
        #expect(try read("head.address.city") as? String == "Ulm")
        #expect(try read("missing.address.city") == nil)
        #expect(try read("self.name") as? String == "Works")
        #expect(try value(atKeyPath: "a.b", of: ["a": NSDictionary(dictionary: ["b": 3])]) as? Int == 3)
        #expect(try value(atKeyPath: "n", of: Row(values: ["n": 3])) as? Int == 3)
    }

    @Test("a key read from an array gives an array, from a set a set")
    func collections() throws {
        #expect(try read("people.name") as? [String] == ["Ada", "Ben", "Ada"])
        let pay = try #require(try read("people.pay") as? [Any])
        #expect(pay[2] is NSNull)
        let set: Set<[String: Int]> = [["n": 1], ["n": 2]]
        #expect(try value(atKeyPath: "n", of: set) as? NSSet == NSSet(array: [1, 2]))
        let ordered = NSOrderedSet(array: [["n": 2], ["n": 1]])
        #expect(try value(atKeyPath: "n", of: ordered) as? NSOrderedSet == NSOrderedSet(array: [2, 1]))
    }

    @Test("operators calculate over a collection")
    func operators() throws {
        #expect(try read("people.@count") as? Int == 3)
        #expect(try read("people.@sum.pay") as? Int == 30)
        #expect(try read("people.@avg.pay") as? Double == 10)
        #expect(try read("people.@min.pay") as? Int == 10)
        #expect(try read("people.@max.name") as? String == "Ben")
        #expect(try read("people.@unionOfObjects.name") as? [String] == ["Ada", "Ben", "Ada"])
        #expect(try read("people.@distinctUnionOfObjects.name") as? [String] == ["Ada", "Ben"])
        #expect(try value(atKeyPath: "@sum.self", of: [Int.max, 1]) as? Double == 0x1p63)
        #expect(try value(atKeyPath: "@max.self", of: [Int]()) == nil)
        let lists = [[1, 2], [2, 3]]
        #expect(try value(atKeyPath: "@unionOfArrays.self", of: lists) as? [Int] == [1, 2, 2, 3])
        #expect(try value(atKeyPath: "@distinctUnionOfArrays.self", of: lists) as? [Int] == [1, 2, 3])
        let sets: Set<Set<Int>> = [[1, 2], [2, 3]]
        #expect(try value(atKeyPath: "@distinctUnionOfSets.self", of: sets) as? NSSet == NSSet(array: [1, 2, 3]))
        #expect(try value(atKeyPath: "@unionOfSets.self", of: sets) as? NSSet == NSSet(array: [1, 2, 3]))
        #expect(try read("people.@unionOfArrays.tags") as? [String] == ["a", "b", "b"])
        #expect(try read("people.@distinctUnionOfArrays.tags") as? [String] == ["a", "b"])
        #expect(
            try value(atKeyPath: "@unionOfArrays.name", of: [[company], [company]]) as? [String] == ["Works", "Works"])
    }

    @Test("leaves open every collection on the way")
    func leaves() throws {
        let names = try KeyPathReader("people.tags").leaves(of: company)
        #expect(names.map { $0 as? String } == ["a", "b", "b", nil])
        #expect(try KeyPathReader("missing.name").leaves(of: company).isEmpty)
    }

    @Test("errors name the key and the type")
    func errors() {
        #expect(throws: KeyValueError.unknownKey("name", type: "Int")) { try value(atKeyPath: "name", of: 5) }
        #expect(throws: KeyValueError.unknownKey("x", type: "Row")) { try value(atKeyPath: "x", of: Row(values: [:])) }
        #expect(throws: KeyValueError.unknownOperator("@total", keyPath: "a.@total")) { try KeyPathReader("a.@total") }
        #expect(throws: KeyValueError.emptyKeyPath) { try KeyPathReader("a..b") }
        #expect(throws: KeyValueError.emptyKeyPath) { try KeyPathReader("") }
        #expect(throws: KeyValueError.notACollection(operation: "@sum", type: "String")) { try read("name.@sum.x") }
        #expect(throws: KeyValueError.notANumber(operation: "@sum", type: "String")) { try read("people.@sum.name") }
    }

    @Test("a value is set at the end of a path")
    func setting() throws {
        try setValue("Bonn", atKeyPath: "head.address.city", of: company)
        #expect(try read("head.address.city") as? String == "Bonn")
        try setValue(1, atKeyPath: "people.pay", of: company)
        #expect(try read("people.pay") as? [Int] == [1, 1, 1])
        #expect(throws: KeyValueError.notWritable("x", type: "String")) {
            try setValue(1, atKeyPath: "name.x", of: company)
        }
    }
}
