// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the results of comparisons of values, alike in every store, in memory and among unsaved changes.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Predicates that compare values") struct ComparisonSpecification {
    @Test("numbers of different types compare by value", arguments: StoreKind.all)
    func numbers(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("age == 20", finds: ["Bob", "elodie"])
        try firm.expect("age = 20.0", finds: ["Bob", "elodie"])
        try firm.expect("age < 36", finds: ["Bob", "elodie", "Straße"])
        try firm.expect("age <= 36", finds: ["Ada", "Bob", "elodie", "Straße"])
        try firm.expect("age =< 7", finds: ["Straße"])
        try firm.expect("age > 40", finds: ["Élodie", "İpek"])
        try firm.expect("age >= 40", finds: ["bob", "Élodie", "İpek"])
        try firm.expect("50 < age", finds: ["Élodie"])
        try firm.expect("age > 35.5 AND age < 36.5", finds: ["Ada"])
        try firm.expect("salary == 1000", finds: ["Bob", "elodie"])
        try firm.expect("salary == 5000.5", finds: ["Ada"])
        try firm.expect("salary == 0.1", finds: ["bob"])
        try firm.expect("weight == 80.25", finds: ["Bob"])
        try firm.expect("number == 9007199254740993", finds: ["bob"])
        try firm.expect("number == 9007199254740992", finds: [])
        try firm.expect("number == -7", finds: ["Bob"])
        try firm.expect("number < 0", finds: ["Bob"])
    }

    @Test("decimals are exact", arguments: StoreKind.all)
    func decimals(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("balance == %@", NSDecimalNumber(string: "10.10"), finds: ["Ada"])
        try firm.expect("balance == %@", NSDecimalNumber(string: "0.1"), finds: ["bob"])
        try firm.expect("balance > %@", NSDecimalNumber(string: "0"), finds: ["Ada", "bob"])
        try firm.expect("balance <= 0.1", finds: ["Bob", "bob"])
        try firm.expect("balance < 0", finds: ["Bob"])
    }

    @Test("without a value nothing is less or greater, and only nil is equal", arguments: StoreKind.all)
    func nothing(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("age == nil", finds: ["STRASSE"])
        try firm.expect("age = NULL", finds: ["STRASSE"])
        try firm.expect("age == %@", NSNull(), finds: ["STRASSE"])
        try firm.expect("nil == age", finds: ["STRASSE"])
        try firm.expect("age != nil", finds: ["Ada", "Bob", "bob", "Élodie", "elodie", "Straße", "İpek"])
        try firm.expect("age != 20", finds: ["Ada", "bob", "Élodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("NOT (age == 20)", finds: ["Ada", "bob", "Élodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("NOT (age < 60)", finds: ["Élodie", "STRASSE"])
        try firm.expect("age < nil", finds: [])
        try firm.expect("department == nil", finds: ["Straße", "STRASSE"])
        try firm.expect("department != nil AND boss == nil", finds: ["Ada"])
        try firm.expect("photo != nil", finds: ["Élodie"])
        try firm.expect(
            "site == nil AND badge == nil AND born == nil", finds: ["elodie", "Straße", "STRASSE", "İpek"])
    }

    @Test("dates, booleans, UUIDs, URLs and data", arguments: StoreKind.all)
    func otherValues(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let epoch = NSDate(timeIntervalSinceReferenceDate: 0)
        try firm.expect("born == %@", epoch, finds: ["Ada"])
        try firm.expect("born < %@", epoch, finds: ["Élodie"])
        try firm.expect("born > %@", Date(timeIntervalSinceReferenceDate: 0.5), finds: ["Bob"])
        try firm.expect(
            "born BETWEEN %@", [epoch, Date(timeIntervalSinceReferenceDate: Firm.day)], finds: ["Ada", "Bob"])
        try firm.expect("isActive == YES", finds: ["Ada", "bob", "Élodie"])
        try firm.expect("isActive == TRUE", finds: ["Ada", "bob", "Élodie"])
        try firm.expect("isActive == NO", finds: ["Bob", "STRASSE"])
        try firm.expect("isActive != YES", finds: ["Bob", "elodie", "Straße", "STRASSE", "İpek"])
        try firm.expect("isActive == %@", true, finds: ["Ada", "bob", "Élodie"])
        try firm.expect("isActive == 1", finds: ["Ada", "bob", "Élodie"])
        try firm.expect("badge == %@", Firm.badge, finds: ["Ada"])
        try firm.expect("badge == %@", NSUUID(uuidString: Firm.badge.uuidString)!, finds: ["Ada"])
        try firm.expect("badge IN %@", [UUID(), Firm.badge], finds: ["Ada"])
        try firm.expect("badge != %@ AND badge != nil", UUID(), finds: ["Ada"])
        try firm.expect("site == %@", URL(string: "https://example.org/bob")!, finds: ["bob"])
        try firm.expect("photo == %@", Data([1, 2, 3]), finds: ["Élodie"])
        try firm.expect("photo == %@", Data([1, 2]), finds: [])
    }

    @Test("a date that differs by less than a microsecond is another date", arguments: StoreKind.all)
    func preciseDates(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let (earlier, later) = (Date(timeIntervalSinceReferenceDate: -4e-7), Date(timeIntervalSinceReferenceDate: 4e-7))
        try firm.expect("born == %@", later, finds: [])
        try firm.expect("born < %@", later, finds: ["Ada", "Élodie"])
        try firm.expect("born > %@", earlier, finds: ["Ada", "Bob"])
        try firm.expect("born BETWEEN %@", [earlier, later], finds: ["Ada"])
    }

    @Test("AND, OR and NOT, in words and signs", arguments: StoreKind.all)
    func logic(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("age == 20 AND isActive == NO", finds: ["Bob"])
        try firm.expect("age == 20 && isActive == NO", finds: ["Bob"])
        try firm.expect("age == 7 OR age == 36 OR name == 'bob'", finds: ["Straße", "Ada", "bob"])
        try firm.expect("age == 7 || age == 36", finds: ["Straße", "Ada"])
        try firm.expect("NOT (age == 20 OR department.name == 'Sales')", finds: ["Ada", "Straße", "STRASSE"])
        try firm.expect("!(age == 20) AND department.name == 'Research'", finds: ["Ada"])
        try firm.expect("age == 36 OR age == 20 AND isActive == NO", finds: ["Ada", "Bob"])
        try firm.expect("TRUEPREDICATE AND age == 36", finds: ["Ada"])
        try firm.expect("FALSEPREDICATE OR age == 36", finds: ["Ada"])
        try firm.expect("FALSEPREDICATE", finds: [])
        let none = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        #expect(try firm.find(none).count == 8)
        let never = NSCompoundPredicate(orPredicateWithSubpredicates: [])
        #expect(try firm.find(never).isEmpty)
    }

    @Test("%@, %K, %d and %f take arguments", arguments: StoreKind.all)
    func arguments(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("%K == %@", "age", 20, finds: ["Bob", "elodie"])
        try firm.expect("%K.name == %@", "department", "Research", finds: ["Ada", "Bob"])
        try firm.expect("%K BEGINSWITH %@", "department.name", "Res", finds: ["Ada", "Bob"])
        #expect(try firm.find(NSPredicate(format: "age == %d AND number < %ld", 20, 0)) == ["Bob"])
        #expect(try firm.find(NSPredicate(format: "salary == %f", 5000.5)) == ["Ada"])
        #expect(try firm.find(NSPredicate(format: "name == '%@'")).isEmpty)
        let template = NSPredicate(format: "age >= $least AND name BEGINSWITH $start")
        let bound = template.withSubstitutionVariables(["least": 20, "start": "B"])
        #expect(try firm.find(bound) == ["Bob"])
    }

    @Test("columns compare with columns and with calculated values", arguments: StoreKind.all)
    func expressions(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        try firm.expect("salary > number", finds: ["Ada", "Bob", "elodie", "STRASSE", "İpek"])
        try firm.expect("age + 4 == 40", finds: ["Ada"])
        try firm.expect("age * 2 > 100", finds: ["Élodie"])
        try firm.expect("age - number > 40", finds: ["İpek", "Élodie"])
        try firm.expect("salary / 2 == 500", finds: ["Bob", "elodie"])
        try firm.expect("boss.age > age", finds: ["Bob"])
        try firm.expect("name == boss.name", finds: [])
        try firm.expect("title ==[c] 'engineer'", in: "Employee", finds: ["Bob", "bob"])
        try firm.expect("isActive == boss.isActive", finds: ["Straße", "bob"])
    }

    // Apple's SQLite stores refuse such predicates.
    /// Decided by `fetch(_:)` with `NSPredicate(block:)`, which Apple's SQLite store refuses and its other stores run.
    @Test("code in a predicate is asked of every object", .tags(.assumed), arguments: StoreKind.all)
    func blocks(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let predicate = NSPredicate { object, _ in
            ((object as? NSManagedObject)?.value(forKey: "age") as? Int ?? 0) == 20
        }
        #expect(try firm.find(predicate) == ["Bob", "elodie"])
        let both = NSCompoundPredicate(
            andPredicateWithSubpredicates: [predicate, NSPredicate(format: "isActive == NO")])
        #expect(try firm.find(both) == ["Bob"])
        let window = Firm.request("Person", predicate, sortedBy: "name")
        window.fetchLimit = 1
        #expect(Firm.names(try firm.newContext().fetch(window)) == ["Bob"])
    }
}
