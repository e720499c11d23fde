// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that arguments of erased and bridged types represent their values, and that unusable values are refused.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Erased and bridged arguments") struct ErasedValueSpecification {
    private struct Unstorable: Hashable {}
    private enum Grade: String { case first = "Ada" }

    private func erased(_ values: AnyHashable...) -> [AnyHashable] { values }

    @Test("an AnyHashable is the value in it, also in collections", arguments: StoreKind.all)
    func anyHashable(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let day = Date(timeIntervalSinceReferenceDate: 0)
        try firm.expect("name == %@", AnyHashable("Ada"), finds: ["Ada"])
        try firm.expect("%K == %@", AnyHashable("name"), AnyHashable("Ada"), finds: ["Ada"])
        try firm.expect("name BEGINSWITH %@", AnyHashable("A"), finds: ["Ada"])
        try firm.expect("age == %@ OR age == %d", AnyHashable(36), AnyHashable(40), finds: ["Ada", "bob"])
        try firm.expect("NOT age < %@", AnyHashable(50.0), finds: ["Élodie", "STRASSE", "İpek"])
        try firm.expect("born == %@ OR badge == %@", AnyHashable(day), AnyHashable(Firm.badge), finds: ["Ada"])
        try firm.expect("balance == %@", AnyHashable(Decimal(string: "10.1")!), finds: ["Ada"])
        try firm.expect("age BETWEEN %@", erased(36, 40), finds: ["Ada", "bob"])
        try firm.expect("name IN %@", Set<AnyHashable>(["Ada", "Bob"]), finds: ["Ada", "Bob"])
        try firm.expect("age IN %@", erased(36, 40), finds: ["Ada", "bob"])
        try firm.expect("age IN %@", NSSet(array: erased(36, 40)), finds: ["Ada", "bob"])
        try firm.expect("age IN %@", AnyHashable([36, 40]), finds: ["Ada", "bob"])
        try firm.expect("age == %@", AnyHashable(Int?.none), finds: ["STRASSE"])
        try firm.expect(
            "NOT age IN %@", erased(AnyHashable(Int?.none), 20), finds: ["Ada", "bob", "Élodie", "Straße", "İpek"])
        let (sales, ada) = (firm.department("Sales"), firm.person("Ada"))
        try firm.expect("department == %@", AnyHashable(sales), finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect("department == %@", AnyHashable(sales.objectID), finds: ["bob", "Élodie", "elodie", "İpek"])
        try firm.expect("SELF IN %@", Set<AnyHashable>([ada, firm.person("Bob").objectID]), finds: ["Ada", "Bob"])
        let variable = NSPredicate(format: "age IN $ages").withSubstitutionVariables(["ages": Set<AnyHashable>([36])])
        #expect(try firm.find(variable) == ["Ada"])
        let constant = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "age"),
            rightExpression: NSExpression(forConstantValue: AnyHashable(36)), modifier: .direct, type: .equalTo,
            options: [])
        #expect(try firm.find(constant) == ["Ada"])
    }

    @Test("numbers, texts and lists of other types are their values", arguments: StoreKind.all)
    func otherTypes(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let slice = [0, 36, 40].dropFirst()
        for thirtySix in [
            Int8(36), UInt8(36), Int16(36), UInt32(36), UInt64(36), Float(36), CGFloat(36), Decimal(36),
            NSNumber(value: 36), NSDecimalNumber(value: 36), Optional(36) as Any, Optional(Optional(36)) as Any,
        ] as [Any] {
            try firm.expect("age == %@", thirtySix, finds: ["Ada"])
            try firm.expect("age IN %@", [thirtySix], finds: ["Ada"])
        }
        try firm.expect("name == %@", "xAda".dropFirst(), finds: ["Ada"])
        try firm.expect("name == %@", "Ada" as NSString, finds: ["Ada"])
        try firm.expect("name BEGINSWITH %@", Character("A"), finds: ["Ada"])
        try firm.expect("name IN %@", ["xAda".dropFirst()], finds: ["Ada"])
        try firm.expect("age IN %@", slice, finds: ["Ada", "bob"])
        try firm.expect("age IN %@", ContiguousArray(slice), finds: ["Ada", "bob"])
        try firm.expect("age IN %@", [36, nil] as [Int?], finds: ["Ada", "STRASSE"])
        try firm.expect("age IN %@", Set([36, nil] as [Int?]), finds: ["Ada", "STRASSE"])
        try firm.expect("balance IN %@", Set([Decimal(string: "0.1")!, 7]), finds: ["bob"])
        try firm.expect("age IN %@", NSOrderedSet(array: [36, NSNull()]), finds: ["Ada", "STRASSE"])
        try firm.expect("age IN %@", ["one": 36, "other": 40], finds: ["Ada", "bob"])
        let people = [firm.person("Ada"), nil, firm.person("Bob")]
        try firm.expect("boss IN %@", people.dropFirst(), finds: ["Ada", "Straße", "Élodie", "elodie"])
        try firm.expect(
            "boss IN %@", Set(people), finds: ["Ada", "Bob", "bob", "Straße", "Élodie", "elodie", "İpek"])
    }

    @Test("a value of a type that no attribute holds is refused by name", arguments: StoreKind.all)
    func refused(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let values: [Any] = [ObjectIdentifier(Firm.self), Unstorable(), AnyHashable(Unstorable()), Grade.first, firm]
        for value in values {
            for format in ["name == %@", "name != %@", "age < %@", "%@ == badge", "NOT born == %@", "department == %@"]
            {
                let request = Firm.request("Person", NSPredicate(format: format, value))
                let error = #expect(throws: NSError.self) { try firm.context.fetch(request) }
                #expect(error?.code == 134060 && error?.localizedDescription.contains("'Person.") == true, "\(format)")
            }
            let request = Firm.request("Person", NSPredicate(format: "name IN %@", ["Ada", value]))
            #expect(throws: NSError.self) { try firm.context.fetch(request) }
        }
        for (format, value) in [
            ("name IN %@", 1...3), ("age IN %@", Unstorable()), ("name == %@", ["Ada"]), ("age < %@", [36]),
            ("name == %@", firm.person("Ada")),
        ] as [(String, Any)] {
            let request = Firm.request("Person", NSPredicate(format: format, value))
            let error = #expect(throws: NSError.self) { try firm.context.fetch(request) }
            #expect(error?.code == 134060, "\(format)")
        }
    }

    @Test("an AnyHashable that is set by key is the value in it", arguments: StoreKind.all)
    func keyedValues(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let ada = firm.person("Ada")
        let values: [String: AnyHashable] = [
            "name": "Eve", "age": 7, "salary": 2.5, "balance": Decimal(3),
            "born": Date(timeIntervalSinceReferenceDate: 9),
            "isActive": false, "badge": UUID(), "photo": Data([7]), "site": URL(filePath: "/tmp"),
            "nickname": AnyHashable(String?.none),
        ]
        ada.setValuesForKeys(values)
        try firm.context.save()
        firm.context.refreshAllObjects()
        for (key, value) in values where key != "nickname" {
            #expect(ada.value(forKey: key).map { type(of: $0) == AnyHashable.self } == false, "\(key)")
            #expect(try firm.find(NSPredicate(format: "%K == %@", key, value)).contains("Eve"), "\(key)")
        }
        #expect(ada.value(forKey: "nickname") == nil)
        #expect(ada.value(forKey: "name") as? NSString == "Eve")
    }

    @Test("an AnyHashable in a dictionary is the value in it")
    func dictionaries() {
        let person: [String: AnyHashable] = ["name": "Ada", "age": 36, "tags": ["a", "b"], "boss": ["name": "Eve"]]
        for format in ["name == 'Ada'", "age > 30", "'a' IN tags", "tags.@count == 2", "boss.name LIKE 'E*'"] {
            #expect(NSPredicate(format: format).evaluate(with: person), "\(format)")
        }
        let sorted = [person, ["name": "Aaa"]].sorted {
            NSSortDescriptor(key: "name", ascending: true).compare($0, to: $1) == .orderedAscending
        }
        #expect(sorted.first?["name"] as? String == "Aaa")
    }
}
