// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests migrations by statements: attributes, relationships, entities, and the structure of the file afterwards.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Migrating by statements") struct LightweightMigrationTests {
    private func people(_ build: (NSEntityDescription) -> Void) -> NSManagedObjectModel {
        version { $0.entity("Person") { build($0) } }
    }

    /// Proves: G2, G5, G19, G34
    @Test("a new attribute is nil or its default in old rows; saves work, and keys are not given twice")
    func addedAttribute() throws {
        let one = people { $0.attribute("name", .stringAttributeType) }
        let two = people {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("age", .integer16AttributeType)
            $0.attribute("score", .doubleAttributeType, optional: false, default: 2.5)
            $0.attribute("note", .stringAttributeType, default: "it's new")
            $0.attribute("mood", .stringAttributeType, transient: true)
        }
        let store = try MigratingStore(one) { for name in ["Ada", "Bob"] { $0.make("Person", ["name": name]) } }
        let identifier = try store.column("SELECT Z_UUID FROM Z_METADATA")
        let context = try store.migrate(to: two)
        #expect(try context.values("Person", "name") == ["Ada", "Bob"])
        #expect(try context.values("Person", "age") == [nil, nil])
        #expect(try context.values("Person", "score") == ["2.5", "2.5"])
        #expect(try context.values("Person", "note") == ["it's new", "it's new"])
        context.make("Person", ["name": "Cy", "age": 3])
        try context.save()
        #expect(try context.all("Person").map(\.objectID.rowKey) == [1, 2, 3])
        try store.close(context)
        #expect(try store.column("SELECT Z_UUID FROM Z_METADATA") == identifier)
        #expect(try store.failure(one, options: nil).code == NSPersistentStoreIncompatibleVersionHashError)
        let again = try store.open(two, options: nil)
        #expect(again.persistentStoreCoordinator?.persistentStores.first?.migrationReport == nil)
        try store.close(again)
    }

    /// Proves: G20, G34
    @Test("a removed attribute's values are gone, also when it is brought back") func removedAttribute() throws {
        let one = people {
            $0.attribute("name", .stringAttributeType)
            $0.attribute("age", .integer16AttributeType)
        }
        let two = people { $0.attribute("name", .stringAttributeType) }
        let store = try MigratingStore(one) { $0.make("Person", ["name": "Ada", "age": 36]) }
        try store.close(try store.migrate(to: two))
        let context = try store.migrate(to: try #require(one.copy() as? NSManagedObjectModel))
        #expect(try context.values("Person", "name") == ["Ada"])
        #expect(try context.values("Person", "age") == [nil])
        try store.close(context)
    }

    /// Proves: G22, G34
    @Test("two attributes exchange their names, and a third takes a name that was removed") func exchangedNames() throws
    {
        let one = people {
            for name in ["first", "last", "nick"] { $0.attribute(name, .stringAttributeType) }
            $0.uniquenessConstraints = [["first"]]
        }
        let two = people {
            $0.attribute("first", .stringAttributeType).renamingIdentifier = "last"
            $0.attribute("last", .stringAttributeType).renamingIdentifier = "first"
            $0.attribute("nick", .stringAttributeType).renamingIdentifier = "another nick"
            $0.uniquenessConstraints = [["last"]]
        }
        let store = try MigratingStore(one) { $0.make("Person", ["first": "Ada", "last": "Lovelace", "nick": "A"]) }
        let context = try store.migrate(to: two)
        #expect(try context.values("Person", "first") == ["Lovelace"])
        #expect(try context.values("Person", "last") == ["Ada"])
        #expect(try context.values("Person", "nick") == [nil])
        try store.close(context)
    }

    /// Proves: G21
    @Test("rows without a value for a mandatory attribute get its default; optional again needs nothing")
    func mandatory() throws {
        let one = people { $0.attribute("age", .integer16AttributeType) }
        let two = people { $0.attribute("age", .integer16AttributeType, optional: false, default: 18) }
        let store = try MigratingStore(one) {
            $0.make("Person")
            $0.make("Person", ["age": 3])
        }
        let context = try store.migrate(to: two)
        #expect(try context.values("Person", "age") == ["18", "3"])
        try store.close(context)
        let back = try store.migrate(to: try #require(one.copy() as? NSManagedObjectModel))
        #expect(try back.values("Person", "age") == ["18", "3"])
        try store.close(back)
    }

    /// Proves: G23
    @Test(
        "numbers keep their values over a conversion, and the column has the type that it has in a new store",
        arguments: [
            (NSAttributeType.integer16AttributeType, NSAttributeType.integer64AttributeType),
            (.integer64AttributeType, .integer16AttributeType), (.integer32AttributeType, .doubleAttributeType),
            (.doubleAttributeType, .integer32AttributeType), (.integer16AttributeType, .decimalAttributeType),
            (.decimalAttributeType, .integer64AttributeType), (.floatAttributeType, .doubleAttributeType),
        ])
    func numbers(from: NSAttributeType, to: NSAttributeType) throws {
        let one = people { $0.attribute("number", from) }
        let two = people { $0.attribute("number", to) }
        let store = try MigratingStore(one) {
            for number in [0, -7, 32_000] {
                let isDecimal = from == .decimalAttributeType
                $0.make("Person", ["number": isDecimal ? NSDecimalNumber(value: number) : NSNumber(value: number)])
            }
        }
        let context = try store.migrate(to: two)
        let numbers = try context.all("Person").map { ($0.value(forKey: "number") as? NSNumber)?.intValue }
        #expect(numbers == [0, -7, 32_000])
        try store.close(context)
        let new = try MigratingStore(two) { _ in }
        let type = "SELECT type FROM pragma_table_info('ZPERSON') WHERE name = 'ZNUMBER'"
        #expect(try store.column(type) == new.column(type))
    }

    /// Proves: G11, G23
    @Test(
        "a number that does not fit its new type ends the migration",
        arguments: [
            (NSAttributeType.integer64AttributeType, NSAttributeType.integer16AttributeType, 70_000.0),
            (.doubleAttributeType, .integer32AttributeType, 1.5),
            (.integer64AttributeType, .floatAttributeType, 16_777_217),
            (.doubleAttributeType, .floatAttributeType, 1e300), (.decimalAttributeType, .integer64AttributeType, 0.25),
        ])
    func unfit(from: NSAttributeType, to: NSAttributeType, value: Double) throws {
        let store = try MigratingStore(people { $0.attribute("number", from) }) {
            $0.make(
                "Person", ["number": from == .decimalAttributeType ? NSDecimalNumber(value: value) : value as NSNumber])
        }
        let before = try store.bytes()
        let error = try store.failure(people { $0.attribute("number", to) })
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(error.code == NSMigrationError)
        #expect(cause.userInfo["entity"] as? String == "Person")
        #expect(cause.userInfo["attribute"] as? String == "number")
        #expect(try store.bytes() == before)
    }

    /// Proves: G22, G27, G32, G34
    @Test("a new entity before all others changes their numbers, those in names and in join tables included")
    func renumbering() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                if isNew { model.entity("Aardvark") { $0.attribute("name", .stringAttributeType) } }
                let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
                let student = model.entity("Student", parent: person)
                let tag = model.entity("Tag") { $0.attribute("name", .stringAttributeType) }
                tag.relate("bearers", .ordered, to: person, inverse: "tags", .many)
                tag.relate("owner", .one, to: person, inverse: "ownTags", .ordered)
                student.relate("friends", .many, to: student, inverse: "friends", .many)
            }
        }
        let store = try MigratingStore(model(false)) { context in
            let ada = context.make("Person", ["name": "Ada"])
            let bob = context.make("Student", ["name": "Bob"])
            let cy = context.make("Student", ["name": "Cy"])
            bob.setValue([cy] as Set<NSManagedObject>, forKey: "friends")
            let tag = context.make("Tag", ["name": "new", "owner": bob])
            tag.setValue(NSOrderedSet(array: [cy, ada, bob]), forKey: "bearers")
            context.make("Tag", ["name": "old", "owner": bob])
        }
        let context = try store.migrate(to: model(true))
        let tags = try context.all("Tag")
        let names = { (value: Any?) in
            (value as? NSOrderedSet)?.array.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
        }
        let first = try #require(tags.first { $0.value(forKey: "name") as? String == "new" })
        #expect(names(first.value(forKey: "bearers")) == ["Cy", "Ada", "Bob"])
        let owner = try #require(first.value(forKey: "owner") as? NSManagedObject)
        #expect(owner.entity.name == "Student")
        #expect((owner.value(forKey: "ownTags") as? NSOrderedSet)?.count == 2)
        #expect(
            (owner.value(forKey: "friends") as? Set<NSManagedObject>)?.first?.value(forKey: "name") as? String == "Cy")
        #expect(try context.all("Student").count == 2)
        context.make("Aardvark", ["name": "Al"])
        context.make("Student", ["name": "Di"])
        try context.save()
        try store.close(context)
        try store.close(try store.migrate(to: model(false)))
        #expect(try store.column("SELECT COUNT(*) FROM ZPERSON") == [.integer(4)])
    }

    /// Proves: G24, G34
    @Test("relationships come without members, go with their tables, and keep their members under a new name")
    func relationships() throws {
        func model(_ number: Int) -> NSManagedObjectModel {
            version { model in
                let (author, book) = (model.entity("Author"), model.entity("Book"))
                if number < 3 {
                    author.relate(number == 1 ? "books" : "works", .many, to: book, inverse: "authors", .many)
                    if number == 2 { author.relationshipsByName["works"]?.renamingIdentifier = "books" }
                }
                if number != 2 { author.relate("favourite", .one, to: book, inverse: "fans", .many) }
            }
        }
        let store = try MigratingStore(model(1)) { context in
            let book = context.make("Book")
            context.make("Author", ["books": [book] as Set<NSManagedObject>, "favourite": book])
        }
        let second = try store.migrate(to: model(2))
        #expect((try second.all("Author")[0].value(forKey: "works") as? Set<NSManagedObject>)?.count == 1)
        try store.close(second)
        let third = try store.migrate(to: model(3))
        #expect(try third.all("Author")[0].value(forKey: "favourite") == nil)
        try store.close(third)
    }

    /// Proves: G27, G32
    @Test("a renamed entity keeps keys, links and rows; a removed one takes its rows along") func entities() throws {
        let one = version { model in
            let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
            let pet = model.entity("Pet") { $0.attribute("name", .stringAttributeType) }
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
            model.entity("Ghost") { $0.attribute("name", .stringAttributeType) }
        }
        let two = version { model in
            let person = model.entity("Human", former: "Person") { $0.attribute("name", .stringAttributeType) }
            let pet = model.entity("Pet") { $0.attribute("name", .stringAttributeType) }
            person.relate("pets", .many, to: pet, inverse: "owner", .one)
        }
        let store = try MigratingStore(one) { context in
            context.make("Person", ["name": "Zed"])
            context.make("Pet", ["name": "Rex", "owner": context.make("Person", ["name": "Ada"])])
            context.make("Ghost")
        }
        let before = try store.column("SELECT Z_PK FROM ZPERSON WHERE ZNAME = 'Ada'")
        let context = try store.migrate(to: two)
        let owner = try #require(try context.all("Pet")[0].value(forKey: "owner") as? NSManagedObject)
        #expect(owner.value(forKey: "name") as? String == "Ada")
        #expect(before == [.integer(Int64(owner.objectID.rowKey))])
        let uri = owner.objectID.uriRepresentation().absoluteString
        #expect(uri.contains("/Human/"))
        let former = try #require(URL(string: uri.replacing("/Human/", with: "/Person/")))
        let found = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: former)
        #expect(found == owner.objectID)
        try store.close(context)
    }

    /// Proves: G28, G34
    @Test("attributes move up and down a hierarchy; a removed subentity takes its rows, and references become nil")
    func hierarchy() throws {
        let one = version { model in
            let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            let dog = model.entity("Dog", parent: animal) { $0.attribute("weight", .doubleAttributeType) }
            model.entity("Cat", parent: animal)
            dog.relate("enemy", .one, to: animal, inverse: "foes", .many)
        }
        let two = version { model in
            let animal = model.entity("Animal") { $0.attribute("weight", .doubleAttributeType) }
            let dog = model.entity("Dog", parent: animal) { $0.attribute("name", .stringAttributeType) }
            dog.relate("enemy", .one, to: animal, inverse: "foes", .many)
            model.entity("Newt", parent: animal)
        }
        let store = try MigratingStore(one) { context in
            let cat = context.make("Cat", ["name": "Tom"])
            let rex = context.make("Dog", ["name": "Rex", "weight": 9.5, "enemy": cat])
            context.make("Dog", ["name": "Ace", "enemy": rex])
            context.make("Animal", ["name": "It"])
        }
        let context = try store.migrate(to: two)
        #expect(try context.all("Animal").count == 3)
        let dogs = try context.all("Dog").reduce(into: [:]) { $0[$1.value(forKey: "name") as? String] = $1 }
        #expect(dogs["Rex"]?.value(forKey: "weight") as? Double == 9.5)
        #expect(dogs["Rex"]?.value(forKey: "enemy") == nil)
        #expect(dogs["Ace"]?.value(forKey: "enemy") as? NSManagedObject == dogs["Rex"])
        try store.close(context)
        #expect(try store.column("SELECT COUNT(*) FROM ZANIMAL WHERE ZNAME = 'It'") == [.integer(0)])
    }

    /// Proves: G28, G34
    @Test("an entity leaves a hierarchy with its rows, and a new parent takes entities in") func leaving() throws {
        let one = version { model in
            let animal = model.entity("Animal") { $0.attribute("name", .stringAttributeType) }
            model.entity("Dog", parent: animal) { $0.attribute("weight", .doubleAttributeType) }
        }
        let two = version { model in
            let being = model.entity("Being", abstract: true) { $0.attribute("name", .stringAttributeType) }
            model.entity("Animal", parent: being)
            model.entity("Dog") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("weight", .doubleAttributeType)
            }
        }
        let store = try MigratingStore(one) { context in
            context.make("Dog", ["name": "Rex", "weight": 9.5])
            context.make("Animal", ["name": "It"])
        }
        let context = try store.migrate(to: two)
        #expect(try context.values("Dog", "name") == ["Rex"])
        #expect(try context.values("Dog", "weight") == ["9.5"])
        #expect(try context.values("Being", "name") == ["It"])
        context.make("Dog", ["name": "Ace"])
        context.make("Animal", ["name": "They"])
        try context.save()
        try store.close(context)
        #expect(try store.column("SELECT MIN(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_SUPER = 0") == [.integer(3)])
    }

    /// Proves: G25, G26, G34
    @Test("links survive every change of cardinality and order", arguments: LinkChange.all)
    func cardinality(change: LinkChange) throws {
        let store = try MigratingStore(change.model(change.before)) { context in
            let ends = (0..<3).map { context.make("A", ["name": "a\($0)"]) }
            let members = (0..<3).map { context.make("B", ["name": "b\($0)"]) }
            try context.obtainPermanentIDs(for: ends + members)
            change.link(ends, members, context)
        }
        let context = try store.migrate(to: change.model(change.after))
        #expect(try change.links(context) == change.expected)
        try store.close(context)
    }

    /// Proves: G31, G34
    @Test("derived attributes are computed anew where they are new, and their triggers work")
    func derived() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            version { model in
                let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
                let pet = model.entity("Pet")
                person.relate("pets", .many, to: pet, inverse: "owner", .one)
                if isNew {
                    person.derived("petCount", .integer64AttributeType, "pets.@count")
                    person.derived("folded", .stringAttributeType, "canonical:(name)")
                    person.derived("changed", .dateAttributeType, "now()")
                }
            }
        }
        let store = try MigratingStore(model(false)) { context in
            let ada = context.make("Person", ["name": "Ád"])
            for _ in 0..<2 { context.make("Pet", ["owner": ada]) }
            context.make("Person", ["name": "Bob"])
        }
        let context = try store.migrate(to: model(true))
        let people = try context.all("Person").sorted {
            ($0.value(forKey: "folded") as? String ?? "") < ($1.value(forKey: "folded") as? String ?? "")
        }
        #expect(people.map { $0.value(forKey: "folded") as? String } == ["ad", "bob"])
        #expect(people.map { ($0.value(forKey: "petCount") as? NSNumber)?.intValue } == [2, 0])
        #expect(people.allSatisfy { $0.value(forKey: "changed") is Date })
        context.make("Pet", ["owner": people[1]])
        try context.save()
        try store.close(context)
        try store.close(try store.migrate(to: model(false)))
    }

    /// Proves: G30
    @Test("large data stay byte for byte, come in when external storage ends, and go with their attribute")
    func largeData() throws {
        let big = Data((0..<200_000).map { UInt8($0 & 255) })
        let store = try MigratingStore(PhotoModel.make()) {
            $0.make("Photo", ["name": "big", "data": big])
            $0.make("Photo", ["name": "small", "data": Data([1, 0, 2])])
        }
        func files() throws -> Int { try store.bytes().keys.filter { $0.contains("_EXTERNAL_DATA/") }.count }
        /// The data of all photos after a migration. No context stays alive, because values in memory keep their files.
        func photos(_ model: NSManagedObjectModel, adding data: Data? = nil) throws -> Set<Data> {
            let context = try store.migrate(to: model)
            let result = try context.all("Photo").compactMap { $0.value(forKey: "data") as? Data }
            if let data {
                context.make("Photo", ["name": "other", "data": data])
                try context.save()
            }
            try store.close(context)
            return Set(result)
        }
        let all: Set<Data> = [big, Data([1, 0, 2])]
        let wider = PhotoModel.make()
        wider.entities[0].attribute("place", .stringAttributeType)
        #expect(try photos(wider) == all)
        #expect(try files() == 1)
        #expect(try photos(PhotoModel.make(external: false)) == all)
        #expect(try files() == 0)
        #expect(try photos(PhotoModel.make(), adding: big) == all)
        #expect(try files() == 1)
        let none = version { $0.entity("Photo") { $0.attribute("name", .stringAttributeType) } }
        try store.close(try store.migrate(to: none))
        #expect(try files() == 0)
    }

    /// Proves: G31
    @Test(
        "values of every type, links, order and large data pass unchanged under new numbers", arguments: [false, true])
    func values(isRebuilt: Bool) throws {
        let museum = try Museum(in: .sqlite)
        try museum.fill(scans: 150_000)
        let before = try museum.account()
        try museum.coordinator.remove(museum.store)
        let store = MigratingStore(at: museum.stack.url)
        let model = try #require(museum.stack.model.copy() as? NSManagedObjectModel)
        model.entity("Aardvark")
        let context = try store.migrate(to: model, options: [MigrationOption.rebuilds: isRebuilt])
        #expect(try Museum.account(try #require(context.persistentStoreCoordinator)) == before)
        try store.close(context)
    }

    /// Proves: G34
    @Test("a rebuilt file has the tables of a new store, letter by letter") func rebuilt() throws {
        let one = version { model in
            let person = model.entity("Person") { $0.attribute("name", .stringAttributeType) }
            model.entity("Tag").relate("bearers", .many, to: person, inverse: "tags", .many)
        }
        let two = version { model in
            let person = model.entity("Person") {
                $0.attribute("name", .stringAttributeType)
                $0.attribute("age", .integer16AttributeType)
            }
            model.entity("Tag").relate("bearers", .ordered, to: person, inverse: "tags", .many)
        }
        let store = try MigratingStore(one) { $0.make("Person", ["name": "Ada"]) }
        try store.close(try store.migrate(to: two, options: [MigrationOption.rebuilds: true]))
        let sql = "SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name"
        let fresh = try MigratingStore(two).column(sql).map { $0.textValue?.replacing("\"", with: "") }
        #expect(try store.column(sql).map { $0.textValue?.replacing("\"", with: "") } == fresh)
    }
}
