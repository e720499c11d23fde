// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States in which order results come, and which part of them limit and offset give.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("The order of results") struct OrderSpecification {
    private func names(_ firm: Firm, _ descriptors: NSSortDescriptor..., limit: Int = 0, offset: Int = 0) throws
        -> [String]
    {
        let request = Firm.request("Person")
        request.sortDescriptors = descriptors
        request.fetchLimit = limit
        request.fetchOffset = offset
        return Firm.names(try firm.newContext().fetch(request))
    }

    @Test("results are sorted by a key, nil first, or last when descending", arguments: StoreKind.all)
    func byKey(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let age = NSSortDescriptor(key: "age", ascending: true)
        let name = NSSortDescriptor(key: "name", ascending: true)
        #expect(
            try names(firm, age, name) == ["STRASSE", "Straße", "Bob", "elodie", "Ada", "bob", "İpek", "Élodie"])
        #expect(
            try names(firm, NSSortDescriptor(key: "age", ascending: false), name)
                == ["Élodie", "İpek", "bob", "Ada", "Bob", "elodie", "Straße", "STRASSE"])
        #expect(try names(firm, name).prefix(3) == ["Ada", "Bob", "STRASSE"])
    }

    @Test("later descriptors order objects that are equal for earlier ones", arguments: StoreKind.all)
    func several(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let sorted = try names(
            firm, NSSortDescriptor(key: "department.name", ascending: false),
            NSSortDescriptor(key: "age", ascending: false),
            NSSortDescriptor(key: "number", ascending: true))
        #expect(sorted == ["Élodie", "İpek", "bob", "elodie", "Ada", "Bob", "Straße", "STRASSE"])
    }

    @Test("key paths through to-one relationships sort", arguments: StoreKind.all)
    func byKeyPath(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let sorted = try names(
            firm, NSSortDescriptor(key: "boss.boss.name", ascending: false),
            NSSortDescriptor(key: "department.floor", ascending: true),
            NSSortDescriptor(key: "number", ascending: true))
        #expect(sorted == ["STRASSE", "Élodie", "elodie", "Straße", "Bob", "Ada", "İpek", "bob"])
    }

    @Test("a relationship sorts by its objects, oldest first and unsaved ones last", arguments: StoreKind.all)
    func byObject(kind: StoreKind) throws {
        let firm = try Firm(in: kind, filled: false)
        var departments: [NSManagedObject] = []
        for name in ["first", "second"] {
            departments.append(firm.insert("Department", ["name": name]))
            try firm.context.save()
        }
        departments += ["third", "fourth"].map { firm.insert("Department", ["name": $0]) }
        for position in [3, 1, 2, 0] {
            firm.insert("Person", ["name": "in \(position)", "department": departments[position]])
        }
        let request = Firm.request("Person")
        request.sortDescriptors = [NSSortDescriptor(key: "department", ascending: true)]
        #expect(Firm.names(try firm.context.fetch(request)) == ["in 0", "in 1", "in 2", "in 3"])
        request.sortDescriptors = [NSSortDescriptor(key: "department", ascending: false)]
        #expect(Firm.names(try firm.context.fetch(request)) == ["in 3", "in 2", "in 1", "in 0"])
        let byThemselves = [NSSortDescriptor(key: nil, ascending: true)]
        let mixed = NSArray(array: [2, 0, 3, 1].map { departments[$0] })
        #expect(mixed.sortedArray(using: byThemselves) as? [NSManagedObject] == departments)
        try firm.context.save()
        #expect(try names(firm, NSSortDescriptor(key: "department", ascending: false)).first == "in 3")
    }

    @Test("case and diacritics are left aside where the selector says so", arguments: StoreKind.all)
    func selectors(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let folded = NSSortDescriptor(key: "title", ascending: true, selector: Selector(("caseInsensitiveCompare:")))
        let request = Firm.request("Employee")
        request.sortDescriptors = [folded, NSSortDescriptor(key: "number", ascending: true)]
        #expect(Firm.names(try firm.newContext().fetch(request)) == ["İpek", "Ada", "Bob", "bob"])
        let plain = Firm.request("Employee", sortedBy: "title")
        #expect(Firm.names(try firm.newContext().fetch(plain)) == ["İpek", "Ada", "Bob", "bob"])
        for selector in ["localizedCompare:", "localizedCaseInsensitiveCompare:", "localizedStandardCompare:"] {
            let localized = NSSortDescriptor(key: "name", ascending: true, selector: Selector((selector)))
            #expect(try names(firm, localized).first == "Ada", "\(selector)")
        }
    }

    @Test("numbers in names count where the order is the Finder's", arguments: StoreKind.all)
    func naturalOrder(kind: StoreKind) throws {
        let firm = try Firm(in: kind, filled: false)
        for name in ["file10", "file9", "File1"] { firm.insert("Department", ["name": name]) }
        try firm.context.save()
        let request = Firm.request("Department")
        request.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true, selector: Selector(("localizedStandardCompare:")))
        ]
        #expect(Firm.names(try firm.context.fetch(request)) == ["File1", "file9", "file10"])
    }

    @Test("dates, decimals and booleans have their order", arguments: StoreKind.all)
    func otherValues(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let number = NSSortDescriptor(key: "number", ascending: true)
        #expect(
            try names(firm, NSSortDescriptor(key: "born", ascending: false), number).prefix(3) == [
                "Bob", "Ada", "Élodie",
            ])
        #expect(
            try names(firm, NSSortDescriptor(key: "balance", ascending: false), number).prefix(3) == [
                "Ada", "bob", "Bob",
            ])
        #expect(
            try names(firm, NSSortDescriptor(key: "isActive", ascending: false), number).prefix(3) == [
                "Ada", "Élodie", "bob",
            ])
    }

    /// Proves: C7
    @Test("limit and offset cut a window out of the order", arguments: StoreKind.all)
    func window(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let number = NSSortDescriptor(key: "number", ascending: true)
        let all = try names(firm, number)
        #expect(all == ["Bob", "Ada", "Élodie", "elodie", "Straße", "STRASSE", "İpek", "bob"])
        #expect(try names(firm, number, limit: 2) == ["Bob", "Ada"])
        #expect(try names(firm, number, limit: 2, offset: 3) == ["elodie", "Straße"])
        #expect(try names(firm, number, offset: 6) == ["İpek", "bob"])
        #expect(try names(firm, number, limit: 5, offset: 7) == ["bob"])
        #expect(try names(firm, number, limit: 100) == all)
        #expect(try names(firm, number, limit: 1, offset: 8).isEmpty)
    }

    /// Proves: C7
    @Test("a count equals the number of results, window included", arguments: StoreKind.all)
    func countedWindow(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let request = Firm.request("Person", NSPredicate(format: "age > 10"), sortedBy: "number")
        #expect(try firm.context.count(for: request) == 6)
        request.fetchLimit = 4
        #expect(try firm.context.count(for: request) == 4)
        request.fetchOffset = 5
        #expect(try firm.context.count(for: request) == 1)
        request.fetchOffset = 60
        #expect(try firm.context.count(for: request) == 0)
    }

    @Test(
        "equal objects are in the order of their saves, backwards where the last descriptor is descending",
        arguments: StoreKind.all)
    func ties(kind: StoreKind) throws {
        let firm = try Firm(in: kind, filled: false)
        for number in 0..<12 {
            firm.insert("Person", ["name": "p\(number)", "number": number, "age": number % 2])
            try firm.context.save()
        }
        let age = (
            up: NSSortDescriptor(key: "age", ascending: true), down: NSSortDescriptor(key: "age", ascending: false)
        )
        let (even, odd) = (["p0", "p2", "p4", "p6", "p8", "p10"], ["p1", "p3", "p5", "p7", "p9", "p11"])
        #expect(try names(firm, age.up) == even + odd)
        #expect(try names(firm, age.down) == odd.reversed() + even.reversed())
        let isActive = (
            NSSortDescriptor(key: "isActive", ascending: true), NSSortDescriptor(key: "isActive", ascending: false)
        )
        #expect(try names(firm, age.up, isActive.1) == even.reversed() + odd.reversed())
        #expect(try names(firm, age.down, isActive.0) == odd + even)
        #expect(try names(firm, age.down, limit: 3, offset: 5) == ["p1", "p10", "p8"])
        // The same for an order made in memory, because objects have changed, and after they are saved.
        let context = firm.context
        let request = Firm.request("Person")
        request.sortDescriptors = [age.down]
        let changed = try context.fetch(request)
        for person in changed.dropFirst(3).prefix(4) { person.setValue(9, forKey: "mark") }
        firm.insert("Person", ["name": "p12", "number": 12, "age": 0])
        firm.insert("Person", ["name": "p13", "number": 13, "age": 1])
        let expected = ["p13"] + odd.reversed() + ["p12"] + even.reversed()
        #expect(Firm.names(try context.fetch(request)) == expected)
        try context.save()
        #expect(Firm.names(try context.fetch(request)) == expected)
        #expect(try names(firm, age.down) == expected)
    }

    @Test("objects in a set are sorted as a fetch sorts them", arguments: StoreKind.all)
    func inMemory(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let descriptors = [
            NSSortDescriptor(key: "department.name", ascending: true),
            NSSortDescriptor(key: "number", ascending: false),
        ]
        let request = Firm.request("Person")
        request.sortDescriptors = descriptors
        let fetched = try firm.context.fetch(request)
        let sorted = (fetched.shuffled() as NSArray).sortedArray(using: descriptors) as? [NSManagedObject]
        #expect(sorted == fetched)
    }

    /// A Mac decides: Apple documents no order of unsorted requests.
    @Test("an unsorted request gives the order of saving", .tags(.assumed), arguments: StoreKind.all)
    func unsorted(kind: StoreKind) throws {
        let item = NSEntityDescription("Item")
        let rank = item.attribute("rank", .integer64AttributeType)
        item.indexes = [
            NSFetchIndexDescription(
                name: "byRank", elements: [NSFetchIndexElementDescription(property: rank, collationType: .binary)])
        ]
        let stack = try Stack(kind, NSManagedObjectModel(item))
        let items = (0..<6).map { number in
            let item = NSManagedObject(entity: item, insertInto: stack.context)
            item.setValue(100 - number, forKey: "rank")
            return item
        }
        try stack.context.obtainPermanentIDs(for: items)
        try stack.context.save()
        for item in items.prefix(2) { item.setValue(300, forKey: "rank") }
        try stack.context.save()
        let ids = items.map(\.objectID)
        let context = stack.newContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        for format in ["TRUEPREDICATE", "rank > 0", "rank IN {300, 98, 96, 97}", "rank == 300 OR rank == 95"] {
            request.predicate = NSPredicate(format: format)
            request.fetchLimit = 0
            request.fetchOffset = 0
            let all = try context.fetch(request).map(\.objectID)
            #expect(all == ids.filter(all.contains), "\(format)")
            request.fetchLimit = 2
            request.fetchOffset = 1
            #expect(try context.fetch(request).map(\.objectID) == Array(all.dropFirst().prefix(2)), "\(format)")
        }
    }
}
