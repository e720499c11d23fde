// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the values of key paths, with operators over collections.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Key paths") struct KeyPathSpecification {
    /// Proves: M3
    @Test("a key path follows to-one relationships of any length", arguments: StoreKind.all)
    func chain(store: StoreKind) throws {
        let company = try Company(in: store)
        let board = company.department("Board")
        let chief = company.manager("Ada", in: board)
        let head = company.manager("Grace", under: chief)
        let employee = company.employee("Alan", under: head)
        #expect(employee.value(forKeyPath: "manager.manager.department.name") as? String == "Board")
        #expect(employee.value(forKeyPath: "name") as? String == "Alan")
        #expect(employee.value(forKeyPath: "department.name") == nil)
        try company.context.save()
        let context = company.stack.newContext()
        let read = context.object(with: employee.objectID)
        #expect(read.value(forKeyPath: "manager.manager.department.name") as? String == "Board")
    }

    /// Proves: M3
    @Test("a value is set at the end of a key path", arguments: StoreKind.all)
    func setting(store: StoreKind) throws {
        let company = try Company(in: store)
        let manager = company.manager("Grace", in: company.department("Navy"))
        let employee = company.employee("Alan", under: manager)
        employee.setValue("Yale", forKeyPath: "manager.department.name")
        #expect(manager.department?.name == "Yale")
        employee.setValue("Kurt", forKeyPath: "name")
        #expect(employee.name == "Kurt")
        manager.setValue("nowhere", forKeyPath: "manager.department.name")
        #expect(manager.department?.name == "Yale")
    }

    /// Proves: M3
    @Test("an element of a composite attribute is set, and the others stay", arguments: StoreKind.all)
    func settingElement(store: StoreKind) throws {
        let model = FirmModel.make()
        let person = try #require(model.entitiesByName["Person"])
        let address = person.composite("address", ["city": .stringAttributeType])
        let place = NSEntityDescription("Place").composite("place", ["floor": .integer32AttributeType])
        address.elements.append(place)
        let stack = try Stack(store, model)
        func make(_ name: String) -> NSManagedObject {
            let object = stack.insert("Person")
            object.setValue(name, forKey: "name")
            return object
        }
        let (ann, bob, eve) = (make("Ann"), make("Bob"), make("Eve"))
        for one in [ann, bob] {
            one.setValue(["city": "Ulm", "place": ["floor": 1] as [String: Any]] as [String: Any], forKey: "address")
        }
        ann.setValue(bob, forKey: "boss")
        try stack.context.save()
        ann.setValue("Bonn", forKeyPath: "address.city")
        ann.setValue(2, forKeyPath: "address.place.floor")
        ann.setValue("Rome", forKeyPath: "boss.address.city")
        bob.setValue(nil, forKeyPath: "reports.address.place")
        eve.setValue("Bonn", forKeyPath: "address.city")
        #expect(stack.context.updatedObjects == [ann, bob])
        #expect(ann.value(forKeyPath: "address.city") as? String == "Bonn")
        #expect(ann.value(forKeyPath: "address.place.floor") == nil)
        #expect(bob.value(forKeyPath: "address.city") as? String == "Rome")
        #expect(bob.value(forKeyPath: "address.place.floor") as? Int == 1)
        #expect(eve.value(forKey: "address") == nil)
        try stack.context.save()
        let context = stack.newContext()
        let fresh = context.object(with: bob.objectID)
        #expect(fresh.value(forKeyPath: "address.city") as? String == "Rome")
        #expect(fresh.value(forKeyPath: "address.place.floor") as? Int == 1)
    }

    /// Proves: M3
    @Test("a value set through a to-many is set on every member", arguments: StoreKind.all)
    func settingMembers(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        let people = [company.employee("Ada", in: lab), company.employee("Alan", in: lab)]
        let other = company.employee("Kurt")
        lab.setValue(7, forKeyPath: "employees.salary")
        #expect(people.map(\.salary) == [7, 7])
        #expect(other.salary == 1000)
        people[0].setValue(8, forKeyPath: "department.employees.salary")
        #expect(people.map(\.salary) == [8, 8])
        other.setValue(9, forKeyPath: "department.employees.salary")
        #expect(people.map(\.salary) == [8, 8])
    }

    /// Proves: M3
    @Test("a value is set through several to-manys, also where members have no destination", arguments: StoreKind.all)
    func settingFarMembers(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (dune, emma) = (shop.book("Dune", by: frank), shop.book("Emma"))
        let (sf, old) = (shop.tag("sf"), shop.tag("old"))
        dune.tags = [sf, old]
        emma.tags = [old]
        frank.setValue("read", forKeyPath: "books.tags.name")
        #expect([sf.name, old.name] == ["read", "read"])
        old.setValue("Jane", forKeyPath: "books.author.name")
        #expect(frank.name == "Jane")
        shop.author("Nobody").setValue("x", forKeyPath: "books.tags.name")
        #expect([sf.name, old.name] == ["read", "read"])
    }

    /// Proves: M3
    @Test("a key path through values or unknown keys traps when it is set, and when it is read")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            try Bookshop(in: .inMemory).book("Dune").setValue("x", forKeyPath: "title.first")
        }
        await #expect(processExitsWith: .failure) {
            let shop = try Bookshop(in: .inMemory)
            shop.book("Dune", by: shop.author("Frank")).setValue("x", forKeyPath: "author.nmae")
        }
        await #expect(processExitsWith: .failure) {
            _ = try Bookshop(in: .inMemory).book("Dune").value(forKeyPath: "tags.@middle.name")
        }
    }

    /// Proves: M4
    @Test("operators count, add up and compare the members of a to-many", arguments: StoreKind.all)
    func operators(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        company.employee("Ada", salary: 100, in: lab)
        company.employee("Alan", salary: 200, in: lab)
        company.manager("Grace", salary: 600, in: lab)
        #expect(lab.value(forKeyPath: "employees.@count") as? Int == 3)
        #expect(lab.value(forKeyPath: "employees.@sum.salary") as? Int == 900)
        #expect(lab.value(forKeyPath: "employees.@avg.salary") as? Double == 300)
        #expect(lab.value(forKeyPath: "employees.@min.salary") as? Int == 100)
        #expect(lab.value(forKeyPath: "employees.@max.name") as? String == "Grace")
        let employee = try #require(lab.employees.first)
        #expect(employee.value(forKeyPath: "department.employees.@sum.salary") as? Int == 900)
    }

    /// Proves: M4
    @Test("operators gather the values of the members, all or each once", arguments: StoreKind.all)
    func unions(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        company.employee("Ada", salary: 100, in: lab)
        company.employee("Alan", salary: 100, in: lab)
        company.employee("Kurt", salary: 300, in: lab)
        let all = try #require(lab.value(forKeyPath: "employees.@unionOfObjects.salary") as? [Int])
        #expect(all.sorted() == [100, 100, 300])
        let distinct = try #require(lab.value(forKeyPath: "employees.@distinctUnionOfObjects.salary") as? [Int])
        #expect(distinct.sorted() == [100, 300])
    }

    /// Proves: M4
    @Test("operators unite sets of sets", arguments: StoreKind.all)
    func setsOfSets(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (sf, desert) = (shop.tag("sf"), shop.tag("desert"))
        shop.book("Dune", by: frank).tags = [sf, desert]
        shop.book("Hellstrom", by: frank).tags = [sf]
        let union = frank.value(forKeyPath: "books.tags.@distinctUnionOfSets.name") as? NSSet
        #expect(union as? Set<String> == ["sf", "desert"])
    }

    /// Proves: M4
    @Test("an operator may follow a chain, and unite the destinations of many members", arguments: StoreKind.all)
    func nestedOperators(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let frank = shop.author("Frank")
        let (dune, emma) = (shop.book("Dune", pages: 3, by: frank), shop.book("Emma", pages: 5, by: frank))
        let (sf, desert) = (shop.tag("sf"), shop.tag("desert"))
        dune.tags = [sf, desert]
        emma.tags = [sf]
        #expect(dune.value(forKeyPath: "author.books.@max.pages") as? Int == 5)
        #expect(
            dune.value(forKeyPath: "author.books.@distinctUnionOfSets.tags") as? Set<CoreDataTestSupport.Tag> == [
                sf, desert,
            ])
        #expect(frank.value(forKeyPath: "books.@distinctUnionOfSets.tags.name") as? Set<String> == ["sf", "desert"])
        let all = try #require(frank.value(forKeyPath: "books.@unionOfArrays.tags.name") as? [String])
        #expect(all.sorted() == ["desert", "sf", "sf"])
        let distinct = try #require(frank.value(forKeyPath: "books.@distinctUnionOfArrays.tags.name") as? [String])
        #expect(distinct.sorted() == ["desert", "sf"])
        #expect(frank.value(forKeyPath: "books.@max.tags.@count") as? Int == 2)
        #expect(frank.value(forKeyPath: "books.@avg.pages") as? Double == 4)
        #expect(frank.value(forKeyPath: "books.@min.title") as? String == "Dune")
    }

    /// Proves: M4
    @Test("operators over no members give no extreme, and zero in number, sum and mean", arguments: StoreKind.all)
    func emptyOperators(store: StoreKind) throws {
        let nobody = try Bookshop(in: store).author("Nobody")
        #expect(nobody.value(forKeyPath: "books.@max.pages") == nil)
        #expect(nobody.value(forKeyPath: "books.@count") as? Int == 0)
        #expect(nobody.value(forKeyPath: "books.@sum.pages") as? Int == 0)
        #expect(nobody.value(forKeyPath: "books.@avg.pages") as? Double == 0)
        #expect((nobody.value(forKeyPath: "books.@unionOfObjects.title") as? [Any])?.isEmpty == true)
        #expect((nobody.value(forKeyPath: "books.@distinctUnionOfSets.tags") as? NSSet)?.count == 0)
    }

    /// Proves: M3
    @Test("a key path through a to-many gives the values of all members", arguments: StoreKind.all)
    func throughToMany(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        company.employee("Ada", in: lab)
        company.employee("Alan", in: lab)
        #expect(lab.value(forKeyPath: "employees.name") as? Set<String> == ["Ada", "Alan"])
    }

    /// Proves: M3
    @Test("a key that the entity does not have may be answered by the class", arguments: StoreKind.all)
    func undefinedKey(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(Greeter.self))
        let greeter = Greeter(context: stack.context)
        greeter.setValue("Ada", forKey: "name")
        #expect(greeter.value(forKey: "greeting") as? String == "Hello Ada")
        greeter.setValue("Bye", forKey: "farewell")
        #expect(greeter.farewell == "Bye")
        #expect(!greeter.changedValues().keys.contains("farewell"))
    }

    /// Decided by `value(forKeyPath:)` and `NSPredicate.evaluate(with:)` with a class that overrides `value(forKey:)`.
    /// Proves: F18
    @Test("key paths and predicates read an override of the class", .tags(.assumed), arguments: StoreKind.all)
    func overriding(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(Shouter.self))
        let shouter = Shouter(context: stack.context)
        shouter.setValue("ada", forKey: "name")
        #expect(shouter.value(forKeyPath: "name") as? String == "ADA")
        #expect(NSPredicate(format: "name == 'ADA'").evaluate(with: shouter))
        #expect(shouter.primitiveValue(forKey: "name") as? String == "ada")
    }
}

private final class Greeter: NSManagedObject {
    var farewell: String?

    override func value(forUndefinedKey key: String) -> Any? {
        key == "greeting" ? "Hello \(value(forKey: "name") as? String ?? "")" : super.value(forUndefinedKey: key)
    }
    override func setValue(_ value: Any?, forUndefinedKey key: String) { farewell = value as? String }
}

private final class Shouter: NSManagedObject {
    override func value(forKey key: String) -> Any? {
        let value = super.value(forKey: key)
        return (value as? String)?.uppercased() ?? value
    }
}
