// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests the models of an app for journeys.

import Foundation
import SwiftData
import Testing

@Suite("An app for journeys works as it is written")
struct JourneyTests {
    private static let day = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private func container(_ file: URL? = nil) throws -> ModelContainer {
        try ModelContainer(
            for: Schema(versionedSchema: JourneySchemaV2.self), migrationPlan: JourneyPlan.self,
            configurations: file.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// Oslo: a holiday with two stays and a companion. Rome: planned. Work: a subclass.
    private func context() throws -> ModelContext {
        let context = ModelContext(try container())
        let oslo = Journey(title: "Oslo", start: Self.day, end: Self.day.addingTimeInterval(5 * 86_400))
        oslo.state = .booked(reference: "X1", on: Self.day)
        oslo.budget = Budget(amount: 99.5)
        var stop = Stop(name: "Oslo S", coordinate: .init(latitude: 59.9, longitude: 10.7))
        stop.add("station")
        oslo.destination = stop
        oslo.legs = [stop, Stop(name: "Bergen")]
        oslo.notes = ["food": "brunost"]
        oslo.stays = [Stay("Gate 1", nights: 2, price: 80), Stay("Gate 2", nights: 3)]
        let ada = Companion(name: "Ada")
        oslo.companions.append(ada)
        let rome = Journey(title: "Rome", start: Self.day.addingTimeInterval(86_400))
        rome.kind = .family
        for journey in [oslo, rome, WorkJourney(project: "P7", start: Self.day)] { context.insert(journey) }
        try context.save()
        return context
    }

    /// Proves: S9, S39, S40, S41, S42, S43, S44
    @Test("Its predicates are answered")
    func predicates() throws {
        let context = ModelContext(try context().container)
        func titles(_ predicate: Predicate<Journey>) throws -> [String] {
            try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
        }
        let (day, kinds, holiday) = (Self.day, [JourneyKind.family, .work], JourneyKind.holiday)
        #expect(try titles(Journey.current(at: day.addingTimeInterval(2 * 86_400))) == ["Oslo", "Rome", "Work"])
        #expect(try titles(Journey.current(at: day.addingTimeInterval(9 * 86_400))) == ["Rome", "Work"])
        #expect(try titles(#Predicate { $0.kind == holiday }) == ["Oslo"])
        #expect(try titles(#Predicate { kinds.contains($0.kind) }) == ["Rome", "Work"])
        #expect(try titles(#Predicate { $0.kind.rawValue > 1 }) == ["Rome"])
        #expect(try titles(#Predicate { $0.end == nil }) == ["Rome", "Work"])
        #expect(try titles(#Predicate { ($0.budget?.amount ?? 0) > 50 }) == ["Oslo"])
        #expect(try titles(#Predicate { ($0.destination?.coordinate?.latitude ?? 0) > 50 }) == ["Oslo"])
        #expect(try titles(#Predicate { $0.stays?.contains { $0.nights > 2 } == true }) == ["Oslo"])
        #expect(try titles(#Predicate { ($0.stays?.count ?? 0) > 1 }) == ["Oslo"])
        #expect(try titles(#Predicate { $0.stays?.isEmpty == false }) == ["Oslo"])
        #expect(try titles(#Predicate { $0.companions.contains { $0.name.starts(with: "A") } }) == ["Oslo"])
        #expect(try titles(#Predicate { $0.legs.contains { $0.name == "Bergen" } }) == ["Oslo"])
        #expect(try titles(#Predicate { $0.notes["food"] == "brunost" }) == ["Oslo"])
        #expect(try titles(#Predicate { ($0 as? WorkJourney)?.project == "P7" }) == ["Work"])
        let ada = try #require(try context.fetch(FetchDescriptor<Companion>()).first)
        let (id, all) = (ada.id, [ada.id, UUID()])
        #expect(try context.fetchCount(FetchDescriptor<Companion>(predicate: #Predicate { $0.id == id })) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Companion>(predicate: #Predicate { all.contains($0.id) })) == 1)
    }

    /// Proves: S45
    @Test("A property that no store has is refused at the fetch")
    func refused() throws {
        let context = try context()
        for predicate in [#Predicate<Journey> { $0.days > 1 }, #Predicate<Journey> { $0.description == "" }] {
            let error = #expect(throws: ModelError.self) { try context.fetch(FetchDescriptor(predicate: predicate)) }
            #expect(error?.kind == .unsupportedKeyPath)
        }
    }

    /// Proves: S8, S37, S47
    @Test("Its values, orders and relationships come back")
    func values() throws {
        let context = ModelContext(try context().container)
        let all = try context.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.end), SortDescriptor(\.title)]))
        #expect(all.map(\.title) == ["Rome", "Work", "Oslo"])
        let oslo = try #require(all.last)
        #expect(oslo.state == .booked(reference: "X1", on: Self.day) && oslo.days == 5)
        #expect(oslo.destination?.tags == ["station"] && oslo.legs.map(\.name) == ["Oslo S", "Bergen"])
        #expect(oslo.sortedStays.map(\.address) == ["Gate 1", "Gate 2"] && oslo.budget?.currency == "EUR")
        #expect(oslo.companions.first?.journeys.first === oslo && "\(oslo)" == "Oslo (holiday)")
        oslo.stays?.removeAll { $0.nights == 2 }
        oslo.destination?.add("end")
        try context.save()
        let other = ModelContext(context.container)
        let again = try #require(
            try other.fetch(FetchDescriptor<Journey>(predicate: #Predicate { $0.title == "Oslo" })).first)
        #expect(again.stays?.map(\.nights) == [3] && again.destination?.tags == ["station", "end"])
    }

    /// Proves: S74, S75, S76
    @Test("Its store of the first version is migrated")
    func migration() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        do {
            let old = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: JourneySchemaV1.self), configurations: ModelConfiguration(url: file)))
            for name in ["", "Oslo"] {
                old.insert(JourneySchemaV1.Journey(code: "c\(name)", name: name, start: Self.day))
            }
            try old.save()
        }
        let new = ModelContext(try container(file))
        let found = try new.fetch(FetchDescriptor<Journey>())
        #expect(found.map(\.title) == ["Oslo"] && found.map(\.days) == [1] && found.map(\.kind) == [.holiday])
        #expect(found.map(\.state) == [.planned] && found.map(\.stays) == [[]])
    }

    /// Proves: S31, S83, S84
    @Test("Its actor writes, and the main context has it")
    @MainActor func actors() async throws {
        let container = try container()
        let importer = JourneyImporter(container: container, count: 1)
        let ids = try await importer.load(["Oslo", "Rome"], at: Self.day)
        #expect(await importer.count == 3)
        let list = JourneyList(container)
        list.text = "OS"
        try list.load()
        #expect(list.journeys.map(\.title) == ["Oslo"])
        try await importer.rename(try #require(ids.first), to: "Tromsø")
        list.text = "tromsø"
        try list.load()
        #expect(list.journeys.map(\.title) == ["Tromsø"])
    }
}
