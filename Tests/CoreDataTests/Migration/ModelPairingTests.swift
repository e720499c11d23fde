// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests which entities and properties of two versions belong together.

import CoreDataTestSupport
import Testing

@testable import CoreData

@Suite("Pairing two versions of a model")
struct ModelPairingTests {
    private func person(_ attributes: [(String, String?)], name: String = "Person") -> NSManagedObjectModel {
        let entity = NSEntityDescription(name)
        for (attribute, former) in attributes {
            entity.attribute(attribute, .stringAttributeType).renamingIdentifier = former
        }
        return NSManagedObjectModel(entity)
    }

    private func origins(_ pairing: ModelPairing, _ entity: String) throws -> [String: String?] {
        let pair = try #require(pairing.entity(destination: entity))
        return Dictionary(uniqueKeysWithValues: pair.properties.map { ($0.destination.name, $0.source?.name) })
    }

    /// Proves: G16
    @Test("equal names belong together; others are new or lost")
    func names() throws {
        let pairing = ModelPairing(
            source: person([("name", nil), ("age", nil)]), destination: person([("name", nil), ("city", nil)]))
        #expect(try origins(pairing, "Person") == ["name": "name", "city": nil])
        #expect(try #require(pairing.entity(source: "Person")).lost.map(\.name) == ["age"])
    }

    /// Proves: G16
    @Test("a value that was renamed twice keeps its origin over every pair of versions")
    func chain() throws {
        let one = person([("a", nil)])
        let two = person([("b", "a")])
        let three = person([("c", "a")])
        for (source, destination, expected) in [
            (one, two, ["b": "a"]), (two, three, ["c": "b"]), (one, three, ["c": "a"]), (three, one, ["a": "c"]),
        ] {
            #expect(try origins(ModelPairing(source: source, destination: destination), "Person") == expected)
        }
    }

    /// Proves: G16
    @Test("an identifier may also be the plain name that the property had in the version before")
    func stepwiseNames() throws {
        let two = person([("b", "a")])
        #expect(try origins(ModelPairing(source: two, destination: person([("c", "b")])), "Person") == ["c": "b"])
        #expect(try origins(ModelPairing(source: two, destination: person([("b", nil)])), "Person") == ["b": "b"])
    }

    /// Proves: G22
    @Test("two properties exchange their names")
    func exchange() throws {
        let pairing = ModelPairing(
            source: person([("first", nil), ("second", nil)]),
            destination: person([("first", "second"), ("second", "first")]))
        #expect(try origins(pairing, "Person") == ["first": "second", "second": "first"])
    }

    @Test("a to-one continues where its destination becomes a superentity or a subentity of the old one, only then")
    func destinations() throws {
        func library(_ owner: String) -> NSManagedObjectModel {
            let (person, student, shelf) = (
                NSEntityDescription("Person"), NSEntityDescription("Student"), NSEntityDescription("Shelf")
            )
            let book = NSEntityDescription("Book")
            person.subentities = [student]
            book.relationship("owner", .one, to: ["Person": person, "Student": student][owner] ?? shelf)
            return NSManagedObjectModel(person, student, shelf, book)
        }
        for (old, new, origin) in [
            ("Person", "Student", "owner"), ("Student", "Person", "owner"), ("Person", "Shelf", nil),
        ] {
            let pairing = ModelPairing(source: library(old), destination: library(new))
            #expect(try origins(pairing, "Book") == ["owner": origin])
        }
    }

    @Test("a new renaming identifier makes a property new, although its name is old")
    func newMeaning() throws {
        let pairing = ModelPairing(source: person([("a", nil)]), destination: person([("a", "a of version 2")]))
        #expect(try origins(pairing, "Person") == ["a": nil])
    }

    @Test("of two that claim one origin the bearer of its name gets it, and the other one is new")
    func doubleClaim() throws {
        let pairing = ModelPairing(
            source: person([("a", nil)]), destination: person([("a", nil), ("Z", "a")]))
        #expect(try origins(pairing, "Person") == ["a": "a", "Z": nil])
    }

    /// Proves: G16
    @Test("entities are paired by identifier, and found from both sides")
    func entities() throws {
        let destination = person([("name", nil)], name: "Human")
        destination.entities[0].renamingIdentifier = "Person"
        let source = person([("name", nil)])
        source.entities.append(NSEntityDescription("Pet"))
        let pairing = ModelPairing(source: source, destination: destination)
        #expect(try #require(pairing.entity(destination: "Human")).source?.name == "Person")
        #expect(try #require(pairing.entity(source: "Person")).destination?.name == "Human")
        #expect(try #require(pairing.entity(source: "Pet")).destination == nil)
        #expect(pairing.entity(destination: "Person") == nil)
        #expect(pairing.entities.count == 2)
    }

    /// Proves: G16
    @Test("a property that moves up a hierarchy continues the one of the folded source entity")
    func hierarchy() throws {
        let (animal, dog) = (NSEntityDescription("Animal"), NSEntityDescription("Dog"))
        animal.subentities = [dog]
        dog.attribute("name", .stringAttributeType)
        let (newAnimal, newDog) = (NSEntityDescription("Animal"), NSEntityDescription("Dog"))
        newAnimal.subentities = [newDog]
        newAnimal.attribute("title", .stringAttributeType).renamingIdentifier = "name"
        let pairing = ModelPairing(
            source: NSManagedObjectModel(animal, dog), destination: NSManagedObjectModel(newAnimal, newDog))
        #expect(try origins(pairing, "Dog") == ["title": "name"])
        #expect(try origins(pairing, "Animal") == ["title": nil])
    }

    @Test("kinds are not mixed, and properties that stores do not keep are left out")
    func kinds() throws {
        let source = person([("friend", nil), ("mood", nil)])
        let destination = person([])
        destination.entities[0].attribute("mood", .stringAttributeType, transient: true)
        destination.entities[0].relationship("friend", .one, to: destination.entities[0])
        let pairing = ModelPairing(source: source, destination: destination)
        #expect(try origins(pairing, "Person") == ["friend": nil])
        #expect(try #require(pairing.entity(source: "Person")).lost.map(\.name) == ["friend", "mood"])
    }
}
