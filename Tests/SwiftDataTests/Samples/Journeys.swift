// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model layer of an app for journeys, with inheritance, versions, an actor, and helpers as in apps.

import Foundation
import Observation
import SwiftData

enum JourneyKind: Int, Codable, CaseIterable, Identifiable, Comparable {
    case holiday, work, family
    var id: Self { self }
    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

enum JourneyState: Codable, Hashable, Sendable {
    case planned
    case booked(reference: String, on: Date)
    case done
}

struct Budget: Codable, Hashable, Sendable {
    var amount: Decimal
    var currency: String = "EUR"
    var isFree: Bool { amount == 0 }
}

struct Stop: Codable, Hashable, Sendable {
    struct Coordinate: Codable, Hashable, Sendable {
        var latitude: Double
        var longitude: Double
    }
    var name: String
    var coordinate: Coordinate?
    private(set) var tags: Set<String> = []

    mutating func add(_ tag: String) { tags.insert(tag) }
}

typealias Journey = JourneySchemaV2.Journey
typealias WorkJourney = JourneySchemaV2.WorkJourney
typealias Stay = JourneySchemaV2.Stay
typealias Companion = JourneySchemaV2.Companion

enum JourneySchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Journey.self] }

    @Model
    final class Journey {
        @Attribute(.unique) var code: String
        var name: String
        var start: Date

        init(code: String, name: String, start: Date) {
            (self.code, self.name, self.start) = (code, name, start)
        }
    }
}

enum JourneySchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
        [Journey.self, WorkJourney.self, Stay.self, Companion.self]
    }

    @Model
    class Journey: CustomStringConvertible {
        #Unique<Journey>([\.code], [\.title, \.start])
        #Index<Journey>([\.title], [\.start, \.end])

        private(set) var code: String
        @Attribute(originalName: "name") var title: String
        var start: Date
        var end: Date?
        var kind: JourneyKind = JourneyKind.holiday
        var state = JourneyState.planned
        var budget: Budget?
        var destination: Stop?
        var legs: [Stop] = []
        var notes: [String: String] = [:]
        @Attribute(.externalStorage) var picture: Data?
        @Relationship(deleteRule: .cascade, inverse: \JourneySchemaV2.Stay.journey)
        var stays: [JourneySchemaV2.Stay]? = []
        @Relationship(inverse: \JourneySchemaV2.Companion.journeys) var companions: [JourneySchemaV2.Companion] = []
        @Transient var isSelected: Bool = false
        @Transient private var cache: [String: Int]?
        static let placeholder = "New journey"

        init(code: String = UUID().uuidString, title: String = Journey.placeholder, start: Date, end: Date? = nil) {
            self.code = code
            self.title = title
            self.start = start
            self.end = end
        }

        public var description: String { "\(title) (\(kind))" }
        var days: Int { end.map { Int($0.timeIntervalSince(start) / 86_400) } ?? 1 }
        var sortedStays: [JourneySchemaV2.Stay] { (stays ?? []).sorted { $0.nights < $1.nights } }

        static func current(at date: Date) -> Predicate<Journey> {
            #Predicate { journey in
                journey.start <= date && (journey.end ?? date) >= date
            }
        }
    }

    @Model
    final class WorkJourney: Journey {
        var project: String
        var perDiem: Decimal = 0

        init(project: String, start: Date) {
            self.project = project
            super.init(title: "Work", start: start)
            kind = .work
        }
    }

    @Model
    final class Stay {
        var address: String
        var nights: Int
        var price: Double?
        var isConfirmed = false
        var journey: Journey?

        init(_ address: String, nights: Int, price: Double? = nil) {
            self.address = address
            self.nights = nights
            self.price = price
        }
    }

    @Model
    final class Companion: Identifiable {
        @Attribute(.unique) var id: UUID = UUID()
        var name: String
        var born: Date?
        var journeys: [Journey] = []

        init(name: String) { self.name = name }
    }
}

enum JourneyPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [JourneySchemaV1.self, JourneySchemaV2.self] }
    static var stages: [MigrationStage] { [toV2] }

    static var toV2: MigrationStage {
        .custom(
            fromVersion: JourneySchemaV1.self, toVersion: JourneySchemaV2.self,
            willMigrate: { context in
                for journey in try context.fetch(FetchDescriptor<JourneySchemaV1.Journey>()) where journey.name.isEmpty
                {
                    context.delete(journey)
                }
                try context.save()
            },
            didMigrate: { context in
                for journey in try context.fetch(FetchDescriptor<JourneySchemaV2.Journey>()) {
                    journey.end = journey.start.addingTimeInterval(86_400)
                }
                try context.save()
            })
    }
}

@ModelActor
actor JourneyImporter {
    private(set) var count = 0

    init(container: ModelContainer, count: Int) {
        modelContainer = container
        modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
        self.count = count
    }

    func load(_ titles: [String], at start: Date) throws -> [PersistentIdentifier] {
        let journeys = titles.map { Journey(title: $0, start: start) }
        for journey in journeys { modelContext.insert(journey) }
        try modelContext.save()
        count += titles.count
        return journeys.map(\.persistentModelID)
    }

    func rename(_ id: PersistentIdentifier, to title: String) throws {
        guard let journey = self[id, as: Journey.self] else { return }
        journey.title = title
        try modelContext.save()
    }
}

@Observable @MainActor
final class JourneyList {
    private let context: ModelContext
    private(set) var journeys: [Journey] = []
    var text = ""
    var sort: [SortDescriptor<Journey>] = [SortDescriptor(\.start, order: .reverse), SortDescriptor(\.title)]

    init(_ container: ModelContainer) { context = container.mainContext }

    func load() throws {
        let (text, work) = (text, JourneyKind.work)
        var descriptor = FetchDescriptor<Journey>(
            predicate: #Predicate { journey in
                (text.isEmpty || journey.title.localizedStandardContains(text)) && journey.kind != work
            }, sortBy: sort)
        descriptor.fetchLimit = 50
        journeys = try context.fetch(descriptor)
    }
}
