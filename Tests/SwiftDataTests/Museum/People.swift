// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model layer of an app about museums, as for Apple's systems: people, and the versions of the schema.

import Foundation
import SwiftData

@Model
final class Guide {
    var name: String
    var languages: [String]
    var museums: [Museum] = []
    @Relationship(inverse: \Tour.guide) var tours: [Tour] = []

    init(name: String, languages: [String]) {
        self.name = name
        self.languages = languages
    }
}

@Model
final class Tour {
    var starts: Date
    var places: Int = 20
    var guide: Guide?
    var exhibition: Exhibition?
    @Relationship(deleteRule: .cascade, inverse: \Ticket.tour) var tickets: [Ticket] = []

    var isFull: Bool { tickets.count >= places }

    init(starts: Date, guide: Guide? = nil, exhibition: Exhibition? = nil) {
        self.starts = starts
        self.guide = guide
        self.exhibition = exhibition
    }
}

@Model
final class Ticket {
    var id: UUID = UUID()
    var price: Decimal
    var tour: Tour?
    var visitor: Visitor?

    init(price: Decimal, tour: Tour? = nil, visitor: Visitor? = nil) {
        self.price = price
        self.tour = tour
        self.visitor = visitor
    }
}

@Model
final class Visitor {
    @Attribute(.unique) var email: String
    var name: String
    @Attribute(.preserveValueOnDeletion) var joined: Date
    @Relationship(deleteRule: .cascade, inverse: \Ticket.visitor) var tickets: [Ticket] = []

    init(email: String, name: String, joined: Date) {
        self.email = email
        self.name = name
        self.joined = joined
    }
}

@Model
final class Donation {
    var amount: Decimal
    var museum: Museum?
    var donor: Donor?

    init(amount: Decimal, museum: Museum? = nil, donor: Donor? = nil) {
        self.amount = amount
        self.museum = museum
        self.donor = donor
    }
}

@Model
final class Donor {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Donation.donor) var donations: [Donation] = []

    init(name: String) { self.name = name }
}

enum MuseumSchemaV1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Museum.self, Artist.self] }

    @Model
    final class Museum {
        var name: String
        var founded: Int?

        init(name: String) { self.name = name }
    }

    @Model
    final class Artist {
        var name: String

        init(name: String) { self.name = name }
    }
}

enum MuseumSchemaV2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] {
        [
            Museum.self, Wing.self, Room.self, Exhibition.self, Exhibit.self, Painting.self, Sculpture.self,
            Artist.self, Photo.self, Keyword.self, Restoration.self, Conservator.self, Loan.self, Lender.self,
            Guide.self, Tour.self, Ticket.self, Visitor.self, Donation.self, Donor.self,
        ]
    }
}

enum MuseumMigrationPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [MuseumSchemaV1.self, MuseumSchemaV2.self] }
    static var stages: [MigrationStage] { [firstToSecond] }

    static var firstToSecond: MigrationStage {
        .custom(
            fromVersion: MuseumSchemaV1.self, toVersion: MuseumSchemaV2.self, willMigrate: nil,
            didMigrate: { context in
                for museum in try context.fetch(FetchDescriptor<Museum>()) { museum.city = "Bern" }
                try context.save()
            })
    }
}
