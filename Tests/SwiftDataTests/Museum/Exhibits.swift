// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model layer of an app about museums, as for Apple's systems: exhibits and their makers.

import Foundation
import SwiftData

struct Dimensions: Codable, Hashable {
    var width: Double
    var height: Double
    var depth: Double?
}

enum Technique: String, Codable, CaseIterable {
    case oil, watercolour, print
}

enum Material: Int, Codable {
    case bronze = 1
    case marble
    case wood
}

enum Condition: Codable, Hashable {
    case good
    case damaged(String)
}

@Model
class Exhibit {
    #Index<Exhibit>([\.inventoryNumber], [\.title])

    @Attribute(.unique) var inventoryNumber: String
    var title: String
    var year: Int?
    var size: Dimensions?
    var condition: Condition = Condition.good
    var remarks: [String] = []
    var room: Room?
    var artist: Artist?
    var exhibitions: [Exhibition] = []
    @Relationship(deleteRule: .cascade, inverse: \Loan.exhibit) var loan: Loan?
    @Relationship(deleteRule: .cascade, inverse: \Restoration.exhibit) var restorations: [Restoration] = []
    @Relationship(deleteRule: .cascade, inverse: \Photo.exhibit) var photos: [Photo] = []
    @Relationship(inverse: \Keyword.exhibits) var keywords: [Keyword] = []

    init(inventoryNumber: String, title: String, artist: Artist? = nil) {
        self.inventoryNumber = inventoryNumber
        self.title = title
        self.artist = artist
    }
}

@Model
final class Painting: Exhibit {
    var technique: Technique
    var isFramed: Bool = true

    init(inventoryNumber: String, title: String, artist: Artist? = nil, technique: Technique) {
        self.technique = technique
        super.init(inventoryNumber: inventoryNumber, title: title, artist: artist)
    }
}

@Model
final class Sculpture: Exhibit {
    var material: Material
    var weight: Decimal?

    init(inventoryNumber: String, title: String, artist: Artist? = nil, material: Material) {
        self.material = material
        super.init(inventoryNumber: inventoryNumber, title: title, artist: artist)
    }
}

@Model
final class Artist {
    @Attribute(.unique, originalName: "name") var fullName: String
    var born: Int?
    @Relationship(inverse: \Exhibit.artist) var works: [Exhibit] = []
    var teacher: Artist?
    @Relationship(inverse: \Artist.teacher) var pupils: [Artist] = []

    init(fullName: String, born: Int? = nil) {
        self.fullName = fullName
        self.born = born
    }
}

@Model
final class Photo {
    var taken: Date
    @Attribute(.externalStorage) var image: Data
    var exhibit: Exhibit?

    init(taken: Date, image: Data) {
        self.taken = taken
        self.image = image
    }
}

@Model
final class Keyword {
    @Attribute(.unique) var text: String
    var exhibits: [Exhibit] = []

    init(_ text: String) { self.text = text }
}

@Model
final class Restoration {
    var began: Date
    var cost: Decimal
    var exhibit: Exhibit?
    var conservators: [Conservator] = []

    init(began: Date, cost: Decimal, exhibit: Exhibit? = nil) {
        self.began = began
        self.cost = cost
        self.exhibit = exhibit
    }
}

@Model
final class Conservator {
    var name: String
    var specialities: Set<String> = []
    @Relationship(inverse: \Restoration.conservators) var restorations: [Restoration] = []

    init(name: String) { self.name = name }
}

@Model
final class Loan {
    var until: Date?
    var insuredFor: Decimal = 0
    var exhibit: Exhibit?
    var lender: Lender?

    init(until: Date? = nil, lender: Lender? = nil) {
        self.until = until
        self.lender = lender
    }
}

@Model
final class Lender {
    var name: String
    var website: URL?
    @Relationship(deleteRule: .deny, inverse: \Loan.lender) var loans: [Loan] = []

    init(name: String) { self.name = name }
}
