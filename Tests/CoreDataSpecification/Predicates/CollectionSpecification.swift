// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of predicates about lists of values: IN and BETWEEN.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Predicates about lists") struct CollectionSpecification {
    @Test("IN finds members of a list, an array or a set", arguments: StoreKind.all)
    func membership(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name IN {'Ada', 'bob', 'nobody'}", finds: ["Ada", "bob"])
        try firm.expect("name IN %@", ["Ada", "Bob"], finds: ["Ada", "Bob"])
        try firm.expect("name IN %@", Set(["Ada", "Bob"]), finds: ["Ada", "Bob"])
        try firm.expect("name IN %@", NSSet(array: ["Ada", "Bob"]), finds: ["Ada", "Bob"])
        try firm.expect("age IN %@", [20, 36], finds: ["Ada", "Bob", "elodie"])
        try firm.expect("age IN %@", [20.0, 36.5], finds: ["Bob", "elodie"])
        try firm.expect("name IN[c] %@", ["BOB", "ADA"], finds: ["Ada", "Bob", "bob"])
        try firm.expect("name IN[cd] %@", ["elodie"], finds: ["Élodie", "elodie"])
        try firm.expect("age IN {20}", finds: ["Bob", "elodie"])
        try firm.expect(
            "NOT (name IN %@)", ["Ada", "Bob", "bob"], finds: ["Élodie", "elodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("NOT (age IN %@)", [20, 36], finds: ["bob", "Élodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("department.name IN %@", ["Research"], finds: ["Ada", "Bob"])
    }

    /// Proves: F51
    @Test("nothing is in an empty list, and everything is outside it", arguments: StoreKind.all)
    func empty(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("name IN %@", [String](), finds: [])
        try firm.expect("name IN {}", finds: [])
        try firm.expect("SELF IN %@", [NSManagedObject](), finds: [])
        #expect(try firm.find(NSPredicate(format: "NOT (age IN %@)", [Int]())).count == 8)
        #expect(try firm.find(NSPredicate(format: "NOT (SELF IN %@)", [NSManagedObject]())).count == 8)
    }

    @Test("a list may have 2,000 members", arguments: StoreKind.all)
    func long(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let names = (0..<2000).map { "name\($0)" } + ["Ada", "bob"]
        try firm.expect("name IN %@", names, finds: ["Ada", "bob"])
        try firm.expect("NOT (name IN %@) AND age > 36", names, finds: ["Élodie", "İpek"])
        try firm.expect("age IN %@", Array(30..<2030), finds: ["Ada", "bob", "Élodie", "İpek"])
        try firm.expect("name IN[c] %@", names, finds: ["Ada", "Bob", "bob"])
        let objects = Array(repeating: firm.person("Bob"), count: 2000) + [firm.person("Ada")]
        try firm.expect("SELF IN %@", objects, finds: ["Ada", "Bob"])
    }

    /// Decided by `fetch(_:)` with `age IN {7, NSNull()}` on a SQLite store.
    @Test("nil in a list is found", .tags(.assumed), arguments: StoreKind.all)
    func nothing(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("age IN %@", [7, NSNull()] as [Any], finds: ["Straße", "STRASSE"])
        try firm.expect("nickname IN %@", ["x", ""], finds: ["STRASSE"])
    }

    /// Proves: F56
    @Test("BETWEEN takes both bounds in", arguments: StoreKind.all)
    func between(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("age BETWEEN {20, 36}", finds: ["Ada", "Bob", "elodie"])
        try firm.expect("age BETWEEN %@", [36, 40], finds: ["Ada", "bob"])
        try firm.expect("NOT (age BETWEEN {20, 50})", finds: ["Élodie", "Straße", "STRASSE"])
        try firm.expect("age BETWEEN {36, 20}", finds: [])
        try firm.expect("salary BETWEEN {0.1, 9.5}", finds: ["bob", "İpek"])
        try firm.expect("age BETWEEN {number, 40}", finds: ["Ada", "Bob", "elodie", "Straße"])
    }
}
