// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model layer of an app about museums, as for Apple's systems: the house.

import Foundation
import SwiftData

struct PostalAddress: Codable, Hashable {
    var street: String
    var city: String
    var postcode: String?
}

struct OpeningHours: Codable, Hashable {
    var opens: Int
    var closes: Int
}

enum Climate: String, Codable, CaseIterable {
    case dry, normal, humid
}

@Model
final class Museum {
    #Unique<Museum>([\.name])
    #Index<Museum>([\.name], [\.name, \.founded])

    var name: String
    var founded: Int?
    var city: String = "unknown"
    var address: PostalAddress?
    var hours: [OpeningHours] = []
    @Relationship(deleteRule: .cascade, inverse: \Wing.museum) var wings: [Wing] = []
    @Relationship(deleteRule: .cascade, inverse: \Exhibition.museum) var exhibitions: [Exhibition] = []
    @Relationship(inverse: \Guide.museums) var guides: [Guide] = []
    @Relationship(inverse: \Donation.museum) var donations: [Donation] = []

    init(name: String, founded: Int? = nil, address: PostalAddress? = nil) {
        self.name = name
        self.founded = founded
        self.address = address
    }
}

@Model
final class Wing {
    var name: String
    var floor: Int = 0
    var museum: Museum?
    @Relationship(deleteRule: .cascade, inverse: \Room.wing) var rooms: [Room] = []

    init(name: String, floor: Int = 0, museum: Museum? = nil) {
        self.name = name
        self.floor = floor
        self.museum = museum
    }
}

@Model
final class Room {
    #Unique<Room>([\.number, \.wing])
    #Index<Room>([\.number])

    var number: Int
    var climate: Climate
    var area: Double?
    var wing: Wing?
    @Relationship(deleteRule: .deny, inverse: \Exhibit.room) var exhibits: [Exhibit]?

    init(number: Int, climate: Climate = .normal, wing: Wing? = nil) {
        self.number = number
        self.climate = climate
        self.wing = wing
    }
}

@Model
final class Exhibition {
    var title: String
    var begins: Date
    var ends: Date
    var museum: Museum?
    @Relationship(inverse: \Exhibit.exhibitions) var exhibits: [Exhibit] = []
    @Relationship(deleteRule: .cascade, inverse: \Tour.exhibition) var tours: [Tour] = []
    @Transient var isOpenInSidebar = false

    var days: Int { Int(ends.timeIntervalSince(begins) / 86_400) }

    init(title: String, begins: Date, ends: Date, museum: Museum? = nil) {
        self.title = title
        self.begins = begins
        self.ends = ends
        self.museum = museum
    }
}
