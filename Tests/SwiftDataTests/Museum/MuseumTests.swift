// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model layer of an app, in use: twenty classes with relationships of all kinds.

import Foundation
import SwiftData
import Testing

@Suite("An app's twenty classes work together")
struct MuseumTests {
    private static let day = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private func container(_ configuration: ModelConfiguration) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: MuseumSchemaV2.self), migrationPlan: MuseumMigrationPlan.self,
            configurations: configuration)
    }

    /// A museum with two wings, three exhibits, a tour and its visitor, saved.
    private func museum() throws -> ModelContext {
        let context = ModelContext(try container(ModelConfiguration(isStoredInMemoryOnly: true)))
        let house = Museum(
            name: "Zentrum", founded: 2005, address: PostalAddress(street: "Weg 3", city: "Bern", postcode: nil))
        house.hours = [OpeningHours(opens: 10, closes: 17)]
        let (north, south) = (Wing(name: "North", museum: house), Wing(name: "South", floor: 1, museum: house))
        let (one, two) = (Room(number: 1, climate: .dry, wing: north), Room(number: 1, wing: south))
        let klee = Artist(fullName: "Paul Klee", born: 1879)
        let pupil = Artist(fullName: "Hans Fischli")
        pupil.teacher = klee
        let fish = Painting(inventoryNumber: "P1", title: "Fish Magic", artist: klee, technique: .oil)
        fish.size = Dimensions(width: 77, height: 98)
        fish.condition = .damaged("a scratch")
        fish.room = one
        let puppet = Sculpture(inventoryNumber: "S1", title: "Puppet", artist: klee, material: .wood)
        puppet.room = two
        let print = Painting(inventoryNumber: "P2", title: "Twittering", artist: pupil, technique: .print)
        print.keywords = [Keyword("bird"), Keyword("machine")]
        fish.loan = Loan(until: Self.day, lender: Lender(name: "Philadelphia"))
        let show = Exhibition(
            title: "Magic", begins: Self.day, ends: Self.day.addingTimeInterval(864_000), museum: house)
        show.exhibits = [fish, puppet]
        let tour = Tour(starts: Self.day, guide: Guide(name: "Ada", languages: ["de", "fr"]), exhibition: show)
        tour.tickets.append(
            Ticket(price: 12.5, visitor: Visitor(email: "a@b.ch", name: "Bo", joined: Self.day)))
        context.insert(house)
        context.insert(print)
        try context.save()
        return context
    }

    /// Proves: S9, S47, S53, S66
    @Test("The graph is saved as a whole, and is the same in another context")
    func graph() throws {
        let context = ModelContext(try museum().container)
        #expect(context.container.schema.entities.count == 20)
        let house = try #require(try context.fetch(FetchDescriptor<Museum>()).first)
        #expect(house.wings.map(\.name) == ["North", "South"] && house.address?.city == "Bern")
        #expect(house.hours == [OpeningHours(opens: 10, closes: 17)])
        let show = try #require(house.exhibitions.first)
        #expect(show.days == 10 && Set(show.exhibits.map(\.title)) == ["Fish Magic", "Puppet"])
        let fish = try #require(show.exhibits.first { $0 is Painting } as? Painting)
        #expect(fish.technique == .oil && fish.condition == .damaged("a scratch") && fish.size?.height == 98)
        #expect(fish.loan?.lender?.name == "Philadelphia" && fish.room?.climate == .dry)
        #expect(fish.artist?.pupils.map(\.fullName) == ["Hans Fischli"])
        #expect(show.tours.first?.tickets.first?.visitor?.email == "a@b.ch")
    }

    /// Proves: S9, S39, S41, S42, S43, S44
    @Test("Predicates go through classes, structures, enumerations and arrays")
    func predicates() throws {
        let context = try museum()
        func titles(_ predicate: Predicate<Exhibit>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
        }
        let dry = Climate.dry
        #expect(try titles(#Predicate { $0 is Sculpture }) == ["Puppet"])
        #expect(try titles(#Predicate { $0.size?.height == 98 }) == ["Fish Magic"])
        #expect(try titles(#Predicate { $0.room?.climate == dry }) == ["Fish Magic"])
        #expect(try titles(#Predicate { $0.keywords.contains { $0.text == "bird" } }) == ["Twittering"])
        #expect(try titles(#Predicate { $0.artist?.teacher?.fullName == "Paul Klee" }) == ["Twittering"])
        let french = FetchDescriptor<Guide>(predicate: #Predicate { $0.languages.contains("fr") })
        #expect(try context.fetch(french).map(\.name) == ["Ada"])
    }

    /// Proves: S51, S60, S63, S23
    @Test("Rules: cascades, denials and unique values")
    func rules() throws {
        let context = try museum()
        let lender = try #require(try context.fetch(FetchDescriptor<Lender>()).first)
        context.delete(lender)
        let error = #expect(throws: (any Error).self) { try context.save() }
        let isValidation = try SwiftDataError.modelValidationFailure ~= #require(error)
        #expect(isValidation)
        context.rollback()
        context.insert(Visitor(email: "a@b.ch", name: "Beau", joined: Self.day))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Visitor>()).map(\.name) == ["Beau"])
        let exhibition = try #require(try context.fetch(FetchDescriptor<Exhibition>()).first)
        context.delete(exhibition)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Tour>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Ticket>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Exhibit>()) == 3)
    }

    /// Proves: S74, S75, S76
    @Test("A store of the first version is migrated by the plan")
    func migration() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        do {
            let old = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: MuseumSchemaV1.self), configurations: ModelConfiguration(url: file)))
            old.insert(MuseumSchemaV1.Museum(name: "Zentrum"))
            old.insert(MuseumSchemaV1.Artist(name: "Paul Klee"))
            try old.save()
        }
        let new = ModelContext(try container(ModelConfiguration(url: file)))
        #expect(try new.fetch(FetchDescriptor<Museum>()).map(\.city) == ["Bern"])
        #expect(try new.fetch(FetchDescriptor<Artist>()).map(\.fullName) == ["Paul Klee"])
    }
}
