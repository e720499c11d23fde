// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how merge policies resolve objects with the same unique values.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Merging unique values") struct UniquenessMergeSpecification {
    /// Decided by `save()` of a new object with the unique value of a row, under each merge policy.
    /// Proves: C23
    @Test(
        "a new object and a record: the record keeps its id, the policy decides about its values", .tags(.assumed),
        arguments: StoreKind.all, Winner.allCases)
    func newAgainstRecord(store: StoreKind, winner: Winner) throws {
        let town = try Town(store)
        let old = town.person("ada@x", name: "Old", phone: "1", in: "Oslo")
        old.setValue(NSSet(array: [town.pet("cat")]), forKey: "pets")
        try town.context.save()
        let new = town.person("ada@x", name: "New", phone: nil, in: nil)
        new.setValue(NSSet(array: [town.pet("dog")]), forKey: "pets")
        town.context.mergePolicy = winner.policy
        #expect(town.context.saveFailure() == nil)
        #expect(new.managedObjectContext == nil)
        #expect(!town.context.hasChanges)
        #expect(try town.people() == [old])
        let expected =
            switch winner {
            case .store: ["Old", "1", "Oslo", "cat+dog"]
            case .object: ["New", "nil", "nil", "cat+dog"]
            case .overwrite: ["New", "nil", "nil", "dog"]
            case .rollback: ["Old", "1", "Oslo", "cat"]
            }
        #expect(town.facts(old) == expected)
        #expect(town.facts(try town.stored(old)) == expected)
        #expect(try town.storedCount("Pet") == 2)
    }

    /// Proves: C23, F90
    @Test(
        "two moods of one country: references to the new object lead to the record", arguments: StoreKind.all,
        [Winner.store, .object, .overwrite])
    func relationshipsMove(store: StoreKind, winner: Winner) throws {
        let town = try Town(store)
        let (one, two) = (town.stack.context, town.stack.newContext())
        let home = town.place("Oslo", in: two)
        let first = town.person("a@x", name: "A", in: two)
        first.setValue(home, forKey: "home")
        let second = town.person("b@x", name: "B", in: one)
        let mine = town.place("Oslo", in: one)
        second.setValue(mine, forKey: "home")
        try two.save()
        one.mergePolicy = winner.policy
        #expect(one.saveFailure() == nil)
        let record = try #require(second.value(forKey: "home") as? NSManagedObject)
        #expect(record.objectID == home.objectID)
        #expect(mine.managedObjectContext == nil)
        let residents = try #require(record.value(forKey: "residents") as? Set<NSManagedObject>)
        #expect(winner == .overwrite || residents.names("name") == ["A", "B"])
        #expect(residents.contains(second))
    }

    /// Proves: C23, M23
    @Test("willSave is called on the record that takes part, and its changes are saved", arguments: StoreKind.all)
    func willSave(store: StoreKind) throws {
        let stack = try Stack(store, CounterModel.make())
        let other = stack.newContext()
        let record = Counter(context: other)
        record.setValue("x", forKey: "name")
        let first = Event(context: other)
        first.setValue(record, forKey: "counter")
        try other.save()
        #expect(record.value(forKey: "count") as? Int == 1)
        let mine = Counter(context: stack.context)
        mine.setValue("x", forKey: "name")
        let event = Event(context: stack.context)
        event.setValue(mine, forKey: "counter")
        stack.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        #expect(stack.context.saveFailure() == nil)
        let kept = try #require(event.value(forKey: "counter") as? Counter)
        #expect(kept.objectID == record.objectID)
        #expect(kept.value(forKey: "count") as? Int == 2)
        #expect(kept.calls == 1)
        let stored = try stack.newContext().existingObject(with: record.objectID)
        #expect(stored.value(forKey: "count") as? Int == 2)
    }

    /// Decided by `save()` of three new objects with one unique value, under each merge policy: the object that stays.
    /// Proves: C23
    @Test(
        "unsaved objects among themselves: the newest stays, or the first when all is to be discarded", .tags(.assumed),
        arguments: StoreKind.all, Winner.allCases)
    func unsaved(store: StoreKind, winner: Winner) throws {
        let town = try Town(store)
        let people = ["1", "2", "3"].map { town.person("ada@x", name: $0) }
        for (person, pet) in zip(people, ["ant", "bee", "cat"]) {
            person.setValue(NSSet(array: [town.pet(pet)]), forKey: "pets")
        }
        town.context.mergePolicy = winner.policy
        #expect(town.context.saveFailure() == nil)
        let stays = winner == .rollback ? people[0] : people[2]
        #expect(try town.people() == [stays])
        for person in people { #expect((person.managedObjectContext == nil) == (person !== stays)) }
        let pets = winner == .rollback ? "ant" : "ant+bee+cat"
        #expect(town.facts(stays) == [winner == .rollback ? "1" : "3", "nil", "nil", pets])
        #expect(try town.storedCount("Person") == 1)
    }

    /// Proves: C23
    @Test("all unsaved objects with one value are one conflict", arguments: StoreKind.all)
    func oneConflict(store: StoreKind) throws {
        let town = try Town(store)
        let same = ["1", "2", "3"].map { town.person("ada@x", name: $0) }
        let pair = ["4", "5"].map { town.person("bob@x", name: $0) }
        let conflicts = try town.conflicts()
        #expect(conflicts.map(\.constraint) == [["mail"], ["mail"]])
        let groups = Set(conflicts.map { Set($0.conflictingObjects) })
        #expect(groups == [Set(same), Set(pair)])
        #expect(conflicts.allSatisfy { $0.databaseObject == nil && $0.databaseSnapshot == nil })
        #expect(Set(conflicts.compactMap { $0.constraintValues["mail"] as? String }) == ["ada@x", "bob@x"])
        #expect(try town.storedCount("Person") == 0)
    }

    /// Decided by `save()` of a changed object with the unique value of another row: `NSConstraintConflict`, and each
    /// merge policy.
    /// Proves: C23
    @Test("a record that takes the value of another one", .tags(.assumed), arguments: StoreKind.all, Winner.allCases)
    func recordAgainstRecord(store: StoreKind, winner: Winner) throws {
        let town = try Town(store)
        let (ada, bob) = (town.person("ada@x", name: "Ada"), town.person("bob@x", name: "Bob"))
        ada.setValue(NSSet(array: [town.pet("ant")]), forKey: "pets")
        bob.setValue(NSSet(array: [town.pet("bee")]), forKey: "pets")
        try town.context.save()
        bob.setValue("ada@x", forKey: "mail")
        bob.setValue("Bobby", forKey: "name")
        let conflict = try #require(try town.conflicts().first)
        #expect(conflict.databaseObject === ada)
        #expect(conflict.conflictingObjects == [bob])
        #expect(conflict.conflictingSnapshots.first?["mail"] as? String == "bob@x")
        #expect(conflict.constraintValues["mail"] as? String == "ada@x")
        town.context.mergePolicy = winner.policy
        #expect(town.context.saveFailure() == nil)
        #expect(!town.context.hasChanges)
        let replaces = winner == .object || winner == .overwrite
        #expect(Set(try town.people()) == (replaces ? [bob] : [ada, bob]))
        #expect(bob.value(forKey: "mail") as? String == (replaces ? "ada@x" : "bob@x"))
        #expect(bob.value(forKey: "name") as? String == (winner == .rollback ? "Bob" : "Bobby"))
        #expect(town.facts(bob)[3] == (winner == .object ? "ant+bee" : "bee"))
        #expect(town.facts(try town.stored(bob)) == town.facts(bob))
    }

    /// Decided by `save()` of a changed object and a new one with the same unique value, which no row has, under each
    /// merge policy.
    /// Proves: C23
    @Test(
        "a record and a new object that both take a value which no record has", .tags(.assumed),
        arguments: StoreKind.all, Winner.allCases)
    func recordAndNewObject(store: StoreKind, winner: Winner) throws {
        let town = try Town(store)
        let bob = town.person("bob@x", name: "Bob")
        bob.setValue(NSSet(array: [town.pet("bee")]), forKey: "pets")
        try town.context.save()
        let new = town.person("new@x", name: "New")
        new.setValue(NSSet(array: [town.pet("cat")]), forKey: "pets")
        bob.setValue("new@x", forKey: "mail")
        bob.setValue("Bobby", forKey: "name")
        let conflicts = try town.conflicts()
        #expect(conflicts.map { Set($0.conflictingObjects) } == [[bob, new]])
        #expect(conflicts.first?.databaseObject == nil)
        town.context.mergePolicy = winner.policy
        #expect(town.context.saveFailure() == nil)
        #expect(!town.context.hasChanges)
        let isOne = winner == .object || winner == .overwrite
        #expect(Set(try town.people()) == (isOne ? [bob] : [bob, new]))
        #expect(bob.value(forKey: "mail") as? String == (isOne ? "new@x" : "bob@x"))
        let expected =
            switch winner {
            case .store: ["Bobby", "bee"]
            case .object: ["New", "bee+cat"]
            case .overwrite: ["New", "cat"]
            case .rollback: ["Bob", "bee"]
            }
        #expect([town.facts(bob)[0], town.facts(bob)[3]] == expected)
        #expect(town.facts(try town.stored(bob)) == town.facts(bob))
        if !isOne { #expect(town.facts(try town.stored(new)) == ["New", "nil", "nil", "cat"]) }
    }

    /// Decided by `save()` of an object with unique values of two rows: the `NSConstraintConflict`s, and each merge
    /// policy.
    /// Proves: C23
    @Test(
        "several constraints at once: an object that takes the values of two records", .tags(.assumed),
        arguments: StoreKind.all, Winner.allCases)
    func severalConstraints(store: StoreKind, winner: Winner) throws {
        let town = try Town(store)
        let ada = town.person("ada@x", name: "Ada", phone: "1")
        let bob = town.person("bob@x", name: "Bob", phone: "2")
        try town.context.save()
        let new = town.person("ada@x", name: "New", phone: "2")
        let conflicts = try town.conflicts()
        #expect(Set(conflicts.map(\.constraint)) == [["mail"], ["phone"]])
        #expect(Set(conflicts.compactMap(\.databaseObject)) == [ada, bob])
        town.context.mergePolicy = winner.policy
        #expect(town.context.saveFailure() == nil)
        #expect(new.managedObjectContext == nil)
        let keepsBoth = winner == .store || winner == .rollback
        #expect(Set(try town.people()) == (keepsBoth ? [ada, bob] : [ada]))
        #expect(town.facts(ada).prefix(2) == (keepsBoth ? ["Ada", "1"] : ["New", "2"]))
        #expect(try town.storedCount("Person") == (keepsBoth ? 2 : 1))
    }

    /// Proves: C23
    @Test("a constraint of several properties is about all of them together", arguments: StoreKind.all)
    func compound(store: StoreKind) throws {
        let town = try Town(store)
        let streets = [("Main", 10), ("Side", 10), ("Main", 20)].map { town.street($0, number: $1) }
        #expect(town.context.saveFailure() == nil)
        let rival = town.street("Main", number: 20)
        let conflict = try #require(try town.conflicts().first)
        #expect(conflict.constraint == ["number", "name"])
        #expect(conflict.databaseObject === streets[2])
        #expect(conflict.constraintValues["name"] as? String == "Main")
        #expect(conflict.constraintValues["number"] as? Int == 20)
        rival.setValue("Side", forKey: "name")
        #expect(town.context.saveFailure() == nil)
        rival.setValue(10, forKey: "number")
        town.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        #expect(town.context.saveFailure() == nil)
        #expect(try town.storedCount("Street") == 3)
        town.street("Main", number: nil)
        town.street("Main", number: nil)
        #expect(town.context.saveFailure() == nil)
        #expect(try town.storedCount("Street") == 5)
    }

    /// Proves: C23, F141
    @Test("a subentity has its ancestors' constraints and its own", arguments: StoreKind.all)
    func subentities(store: StoreKind) throws {
        let animal = NSEntityDescription("Animal")
        animal.attribute("name", .stringAttributeType)
        animal.uniquenessConstraints = [["name"]]
        let dog = NSEntityDescription("Dog")
        dog.attribute("chip", .integer64AttributeType)
        dog.uniquenessConstraints = [["chip"]]
        let cat = NSEntityDescription("Cat")
        cat.attribute("lives", .integer64AttributeType)
        animal.subentities = [dog, cat]
        let stack = try Stack(store, NSManagedObjectModel(animal, dog, cat))
        #expect(dog.uniquenessConstraints.count == 2)
        let make = { (entity: String, name: String, chip: Int?) -> NSManagedObject in
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: stack.context)
            object.setValue(name, forKey: "name")
            if let chip { object.setValue(chip, forKey: "chip") }
            return object
        }
        let rex = make("Dog", "Rex", 1)
        _ = make("Cat", "Tom", nil)
        #expect(stack.context.saveFailure() == nil)
        let second = make("Cat", "Rex", nil)
        let twin = make("Dog", "Rover", 1)
        let error = try #require(stack.context.saveFailure())
        let conflicts = try #require(error.userInfo["conflictList"] as? [NSConstraintConflict])
        #expect(Set(conflicts.map(\.constraint)) == [["name"], ["chip"]])
        #expect(conflicts.allSatisfy { $0.databaseObject === rex })
        stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        #expect(stack.context.saveFailure() == nil)
        #expect(second.managedObjectContext == nil)
        #expect(twin.managedObjectContext == nil)
        #expect(rex.value(forKey: "name") as? String == "Rover")
        #expect(try stack.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Animal")) == 2)
    }

    /// Proves: C23
    @Test("an import that meets every record again updates them all", arguments: StoreKind.all)
    func importing(store: StoreKind) throws {
        let town = try Town(store)
        for number in 0..<300 { town.person("p\(number)@x", name: "old") }
        try town.context.save()
        let context = town.stack.newContext()
        for number in 0..<400 { town.person("p\(number % 350)@x", name: "new \(number)", in: context) }
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        #expect(context.saveFailure() == nil)
        #expect(!context.hasChanges)
        let reader = town.stack.newContext()
        let names = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).names("name")
        #expect(names.count == 350)
        #expect(Set(names) == Set((50..<400).map { "new \($0)" }))
    }

    /// Proves: C23
    @Test("records are met by their values of every type, hundreds in one save", arguments: StoreKind.all)
    func types(store: StoreKind) throws {
        let types: [(name: String, type: NSAttributeType, value: (Int) -> Any)] = [
            ("Text", .stringAttributeType, { "t\u{e9}xt \($0)" }),
            ("Small", .integer16AttributeType, { $0 - 300 }),
            ("Large", .integer64AttributeType, { Int.max - $0 }),
            ("Double", .doubleAttributeType, { Double($0) / 3 }),
            ("Float", .floatAttributeType, { Float($0) / 3 }),
            (
                "Decimal", .decimalAttributeType,
                { NSDecimalNumber(mantissa: UInt64($0), exponent: -3, isNegative: false) }
            ),
            ("Date", .dateAttributeType, { Date(timeIntervalSinceReferenceDate: Double($0) / 7) }),
            (
                "UUID", .UUIDAttributeType,
                { number in
                    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)))
                }
            ),
            ("Link", .URIAttributeType, { URL(string: "https://example.com/\($0)") as Any }),
        ]
        // More objects of one type than a store queries at once.
        func count(_ type: String) -> Int { type == "Text" ? 450 : 40 }
        let entities = types.map { name, type, _ in
            let entity = NSEntityDescription(name)
            entity.attribute("code", type)
            entity.attribute("name", .stringAttributeType)
            entity.uniquenessConstraints = [["code"]]
            return entity
        }
        let model = NSManagedObjectModel()
        model.entities = entities
        let stack = try Stack(store, model)
        for pass in ["old", "new"] {
            let context = stack.newContext()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            for (name, _, value) in types {
                for number in 0..<count(name) {
                    let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                    object.setValue(value(number), forKey: "code")
                    object.setValue(pass, forKey: "name")
                }
            }
            #expect(context.saveFailure() == nil)
        }
        let reader = stack.newContext()
        for (name, _, _) in types {
            let names = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: name)).names("name")
            #expect(names == Array(repeating: "new", count: count(name)), "\(name)")
        }
    }

    /// Decided by `save()` of unique strings that differ in composition or case only.
    /// Proves: C23
    @Test("strings that differ in bytes differ", .tags(.assumed), arguments: StoreKind.all)
    func bytes(store: StoreKind) throws {
        let town = try Town(store)
        for mail in ["caf\u{e9}", "cafe\u{301}", "CAF\u{c9}"] { town.person(mail, name: "x") }
        #expect(town.context.saveFailure() == nil)
        #expect(try town.storedCount("Person") == 3)
    }

    /// Proves: C23
    @Test("an object that a policy leaves invalid is not saved", arguments: StoreKind.all)
    func invalid(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let other = shop.stack.newContext()
        let book = shop.book("Dune")
        try shop.context.save()
        let theirs = try #require(try other.existingObject(with: book.objectID) as? Book)
        theirs.pages = 9
        try other.save()
        book.pages = 1
        shop.context.mergePolicy = Vandal(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        let error = try #require(shop.context.saveFailure())
        #expect(error.code == NSValidationMissingMandatoryPropertyError)
        #expect((error as? CocoaError)?.validationKey == "title")
        #expect(shop.context.updatedObjects == [book])
        book.title = "Dune"
        #expect(shop.context.saveFailure() == nil)
        #expect(book.pages == 1)
    }
}

/// Removes titles.
private final class Vandal: NSMergePolicy, @unchecked Sendable {
    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        try super.resolve(optimisticLockingConflicts: list)
        for conflict in list { conflict.sourceObject.setValue(nil, forKey: "title") }
    }
}

/// People with mail addresses and phones, their homes and pets; streets with numbers and names.
private struct Town {
    let stack: Stack
    var context: NSManagedObjectContext { stack.context }
    private let sides: Sides

    init(_ store: StoreKind) throws {
        let person = NSEntityDescription("Person")
        person.attribute("mail", .stringAttributeType)
        person.attribute("phone", .stringAttributeType)
        person.attribute("name", .stringAttributeType)
        person.uniquenessConstraints = [["mail"], ["phone"]]
        let place = NSEntityDescription("Place")
        place.attribute("name", .stringAttributeType)
        place.uniquenessConstraints = [["name"]]
        let pet = NSEntityDescription("Pet")
        pet.attribute("name", .stringAttributeType)
        let street = NSEntityDescription("Street")
        street.attribute("name", .stringAttributeType)
        street.attribute("number", .integer32AttributeType)
        street.uniquenessConstraints = [["number", "name"]]
        person.relate("home", .one, to: place, inverse: "residents", .many)
        person.relate("pets", .many, to: pet, inverse: "owner", .one)
        stack = try Stack(store, NSManagedObjectModel(person, place, pet, street))
        sides = Sides(stack)
    }

    @discardableResult
    func person(
        _ mail: String, name: String, phone: String? = nil, in home: String? = nil
    ) -> NSManagedObject {
        let person = self.person(mail, name: name, in: context)
        person.setValue(phone, forKey: "phone")
        if let home { person.setValue(place(home), forKey: "home") }
        return person
    }

    @discardableResult
    func person(_ mail: String, name: String, in context: NSManagedObjectContext) -> NSManagedObject {
        let person = make("Person", name, context)
        person.setValue(mail, forKey: "mail")
        return person
    }

    func place(_ name: String, in context: NSManagedObjectContext? = nil) -> NSManagedObject {
        make("Place", name, context)
    }

    func pet(_ name: String) -> NSManagedObject { make("Pet", name, nil) }

    @discardableResult
    func street(_ name: String, number: Int?) -> NSManagedObject {
        let street = make("Street", name, nil)
        street.setValue(number, forKey: "number")
        return street
    }

    private func make(_ entity: String, _ name: String, _ context: NSManagedObjectContext?) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context ?? self.context)
        object.setValue(name, forKey: "name")
        return object
    }

    /// Name, phone, home and pets of a person.
    func facts(_ person: NSManagedObject) -> [String] {
        let pets = person.value(forKey: "pets") as? Set<NSManagedObject> ?? []
        return [
            person.value(forKey: "name") as? String ?? "nil", person.value(forKey: "phone") as? String ?? "nil",
            person.value(forKeyPath: "home.name") as? String ?? "nil", pets.names("name").joined(separator: "+"),
        ]
    }

    func people() throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
    }

    func stored(_ object: NSManagedObject) throws -> NSManagedObject { try sides.stored(object) }

    func storedCount(_ entity: String) throws -> Int {
        try stack.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    /// The values after a save with the error policy.
    func conflicts() throws -> [NSConstraintConflict] {
        let error = try #require(context.saveFailure())
        #expect(error.code == NSManagedObjectConstraintMergeError)
        return try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
    }
}

/// Counters that count their events in `willSave`.
private enum CounterModel {
    static func make() -> NSManagedObjectModel {
        let counter = NSEntityDescription("Counter", class: Counter.self)
        counter.attribute("name", .stringAttributeType)
        counter.attribute("count", .integer64AttributeType, default: 0)
        counter.uniquenessConstraints = [["name"]]
        let event = NSEntityDescription("Event", class: Event.self)
        counter.relate("events", .many, to: event, inverse: "counter", .one)
        return NSManagedObjectModel(counter, event)
    }
}

private final class Counter: NSManagedObject {
    var calls = 0

    override func willSave() {
        super.willSave()
        calls += 1
        let count = (value(forKey: "events") as? NSSet)?.count ?? 0
        if value(forKey: "count") as? Int != count { setValue(count, forKey: "count") }
    }
}

private final class Event: NSManagedObject {}
